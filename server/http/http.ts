// Who asks the API, what for, and the answer: all that operations have in common. The life of a request: `arrival.ts` notes
// each request's address as it comes in; `server.ts` answers it past Next. server/api prepares the process once, and finds the
// operation by path and method. `handle` then does for each the same: find the caller (access/), limit its rate
// (`rate-limit.ts`), hold its scope against the operation's, let a large body in (`in-flight.ts`) and give it its turn
// (database/ingest-queue.ts), read and check path, query and body (`parse.ts`, `body.ts`) against the operation's schemas, see that
// what it changes is as its caller read it (`conditional.ts`), call what serves it (once for an `Idempotency-Key`: `idempotency.ts`),
// and answer. Whatever is thrown becomes a problem document (`problem.ts`, RFC 9457). The operations themselves are data
// (contract/operations), from which `openapi.ts` makes the document.

import { z } from 'zod';
import { type Operation, takesIdempotencyKey } from '#contract/operation.ts';
import { authorise, type Caller, identify, limitByAddress, refuseBadKey } from '#server/access/access.ts';
import { runAs } from '#server/database/database.ts';
import { takingTurns } from '#server/database/ingest-queue.ts';
import { beginStoring } from '#server/database/lane.ts';
import { ServiceError } from '#server/environment/errors.ts';
import { observeRequest } from '#server/monitoring/monitoring.ts';
import { noteFiguresRead } from '#server/monitoring/watching.ts';
import { type AuthenticatedProber, authenticateProber } from '#server/vantages/probers.ts';
import { readJson } from './body.ts';
import { answerOnce } from './idempotency.ts';
import { admitBody } from './in-flight.ts';
import { parsePart, parseStorable, queryObject } from './parse.ts';
import { problem, problemOf } from './problem.ts';
import { countRequest, countRequestHere } from './rate-limit.ts';

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;
type Field<O extends Operation, K extends 'params' | 'query' | 'body'> =
  O extends Record<K, infer S> ? Parsed<S> : undefined;
type Answer<O extends Operation> = O['success'] extends { schema: infer S extends z.ZodType } ? z.input<S> : unknown;

/** A request that was authorised and parsed by its operation's schemas. */
export type Call<O extends Operation> = {
  request: Request;
  caller: Caller;
  prober: O['access'] extends 'prober' ? AuthenticatedProber : null;
  params: Field<O, 'params'>;
  query: Field<O, 'query'>;
  body: Field<O, 'body'>;
};

/** What serves an operation: gives its answer, or a response where that is no JSON or has headers of its own. */
export type Serve<O extends Operation> = (call: Call<O>) => Answer<O> | Response | Promise<Answer<O> | Response>;

type Params = Record<string, string>;
/** Asked once a request is authorised and parsed: answers by `serve`, or with a refusal of its own. */
export type Condition = (serve: () => Promise<Response>) => Promise<Response>;
/** An operation and what answers it, given the decoded parameters of its path and a condition. Never rejects. */
export type Bound = {
  operation: Operation;
  answer: (request: Request, params: Params, condition?: Condition) => Promise<Response>;
};

/** Binds an operation to the `Serve` of its type: authorise, parse, call, respond. */
export function handle(operation: Operation, serve: (call: never) => unknown): Bound {
  const respondTo = async (
    request: Request,
    params: Params,
    take: () => Promise<void>,
    condition: Condition = (serve) => serve(),
  ) => {
    const headers: Record<string, string> = {};
    const releases: (() => void)[] = [];
    const turn = operation.maxBytes === undefined ? undefined : take;
    try {
      const who = await admit(operation, request, headers);
      if (!who)
        return problem('rate_limited', `At most ${headers['RateLimit-Limit']} requests a minute.`, undefined, headers);
      if (FIGURES.has(operation.tag)) noteFiguresRead();
      if (operation.maxBytes !== undefined) releases.push(admitLarge(request, operation.maxBytes));
      const call = {
        request,
        ...who,
        ...(await parseRequest(operation, request, params, turn)),
      };
      // The one place where the types of an operation's schemas and what they parsed are told to be the same.
      const make = () => condition(async () => respond(operation, await serve(call as never)));
      return withHeaders(
        takesIdempotencyKey(operation) ? await answerOnce(operation, call, make) : await make(),
        headers,
      );
    } catch (error) {
      return withHeaders(problemOf(error), headers);
    } finally {
      for (const release of releases) release();
    }
  };
  const isOfProber = operation.access === 'prober';
  const answer: Bound['answer'] = async (request, params, condition) => {
    const started = performance.now();
    const run = () => takingTurns(request.signal, (take) => respondTo(request, params, take, condition));
    const response = await (isOfProber ? runAs('ingest', run) : run());
    observeRequest(operation.id, response.status, (performance.now() - started) / 1_000);
    return response;
  };
  return { operation, answer };
}

/** Lets a large body in; until it is answered heavy reads give way. */
function admitLarge(request: Request, maxBytes: number): () => void {
  const release = admitBody(request, maxBytes);
  const stored = beginStoring();
  return () => {
    release();
    stored();
  };
}

/** Operations that show figures of what probers measure. `/metrics`, which a machine reads all the time, is not one. */
const FIGURES: ReadonlySet<Operation['tag']> = new Set(['results', 'statistics']);

type Admitted = { caller: Caller; prober: AuthenticatedProber | null };

/** Who asks and may do so; null once the rate limit is used up. */
async function admit(
  operation: Operation,
  request: Request,
  headers: Record<string, string>,
): Promise<Admitted | null> {
  if (!operation.path.startsWith('/api/v1/') && operation.access !== 'read') {
    return operation.tag === 'prober'
      ? await admitProber(operation, request, headers)
      : { caller: ANYBODY, prober: null };
  }
  const caller = await identify(request);
  const { allowed, headers: limits } = await countRequest(caller.limitBy);
  Object.assign(headers, limits);
  if (!allowed) return null;
  refuseBadKey(caller);
  if (operation.access !== 'public' && operation.access !== 'prober') authorise(caller, operation.access, request);
  return { caller, prober: null };
}

const ANYBODY: Caller = { kind: 'anonymous', scope: null, limitBy: '', session: null };

/**
 * The prober that asks; null once a limit is used up: a prober's own, of which many may share an address, or the address's,
 * by which tokens and credentials that do not work are counted.
 */
async function admitProber(
  operation: Operation,
  request: Request,
  headers: Record<string, string>,
): Promise<Admitted | null> {
  const pass = async (limitBy: string, cost = 1) => {
    const { allowed, headers: limits } = await countRequestHere(limitBy, cost);
    if (!allowed) Object.assign(headers, limits);
    return allowed;
  };
  const address = limitByAddress(request);
  const hasCredential = operation.access === 'prober';
  if (!(await pass(address, hasCredential ? 0 : 1))) return null;
  if (!hasCredential) return { caller: ANYBODY, prober: null };
  const prober = await authenticateProber(request.headers.get('authorization')).catch(async (error: unknown) => {
    if (error instanceof ServiceError) await pass(address);
    throw error;
  });
  return (await pass(`prober:${prober.id}`)) ? { caller: ANYBODY, prober } : null;
}

async function parseRequest(operation: Operation, request: Request, params: Params, turn?: () => Promise<void>) {
  const query = queryObject(new URL(request.url).searchParams);
  const parse = operation.access === 'prober' ? parsePart : parseStorable;
  return {
    params: operation.params && parse(operation.params, params, 'path'),
    query: operation.query ? parse(operation.query, query, 'query') : refuseQuery(query),
    body: operation.body && parse(operation.body, await bodyOf(operation, request, turn), 'body'),
  };
}

async function bodyOf({ bodyOptional, maxBytes }: Operation, request: Request, turn?: () => Promise<void>) {
  const { headers } = request;
  const none = !headers.has('content-type') && !headers.has('transfer-encoding');
  return bodyOptional && none && Number(headers.get('content-length') ?? 0) === 0
    ? {}
    : await readJson(request, maxBytes, turn);
}

const NO_QUERY = z.strictObject({});

/** An operation without parameters takes none: a misspelt one must not pass unnoticed. */
function refuseQuery(query: Record<string, string>): undefined {
  parsePart(NO_QUERY, query, 'query');
}

function respond(operation: Operation, value: unknown): Response {
  if (value instanceof Response) return value;
  const { status, location } = operation.success;
  if (status === 204) return new Response(null, { status });
  return Response.json(value, { status, headers: location ? { location: fill(location, value) } : {} });
}

/** `/api/v1/targets/{id}` with the answer's own fields. */
function fill(template: string, value: unknown): string {
  return template.replace(/\{([\w.]+)\}/g, (_, path: string) =>
    String(
      path.split('.').reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value),
    ),
  );
}

function withHeaders(response: Response, headers: Record<string, string>): Response {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  if (!response.headers.has('cache-control')) response.headers.set('cache-control', 'no-store');
  return response;
}
