// A client of the HTTP interface for programs in TypeScript: every path, parameter, body and answer has the type that the OpenAPI
// document gives it (schema.ts, which openapi-typescript makes of it). Nothing of the product needs it, and it needs nothing of the product:
// these two files and the package openapi-fetch are all of it (docs/client.md).
import createOpenApiClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './schema.ts';

export type Schemas = components['schemas'];

/** What calls answer as data. Any other form, such as CSV, is read by `parseAs`. */
type Json = 'application/json' | 'application/problem+json';

/** A request that the server refused: its status, and the problem (RFC 9457) that it answered, null where that came from elsewhere. */
export class ProblemError extends Error {
  override name = 'ProblemError';
  readonly status: number;
  readonly problem: Schemas['Problem'] | null;
  constructor(status: number, body: unknown) {
    const problem = isProblem(body) ? body : null;
    super(problem?.detail ?? problem?.title ?? `the server answered ${status}`);
    this.status = status;
    this.problem = problem;
  }
}

export type RoundtripClient = Client<paths, Json>;

/**
 * A client of the server at an address such as `https://monitor.example.org`, which sends an API key (`rt_...`) along. A call, such as
 * `client.GET('/api/v1/targets/{id}', { params: { path: { id } } })`, gives `{ data, error, response }`, one of the first two; it rejects
 * where the server cannot be reached.
 */
export function createClient({ server, key }: { server: string; key?: string }): RoundtripClient {
  return createOpenApiClient<paths, Json>({
    baseUrl: server,
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    // A list in a query is one parameter, with commas between its items.
    querySerializer: { array: { style: 'form', explode: false } },
  });
}

/** What a call answers, undefined where that has no body. Rejects with a ProblemError where the server refuses. */
export async function answerOf<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok) throw new ProblemError(response.status, error);
  return data as T;
}

/** The items of a list, page after page; `page` asks for the one at a cursor. Rejects with a ProblemError where the server refuses. */
export async function* itemsOf<T>(
  page: (cursor: string | undefined) => Promise<{ data?: Page<T>; error?: unknown; response: Response }>,
): AsyncGenerator<T, void, undefined> {
  let cursor: string | undefined;
  do {
    const { data, nextCursor } = await answerOf(page(cursor));
    yield* data;
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
}

type Page<T> = { data: T[]; nextCursor: string | null };

const isProblem = (body: unknown): body is Schemas['Problem'] =>
  typeof body === 'object' && body !== null && 'type' in body && String(body.type).startsWith('urn:roundtrip:problem:');
