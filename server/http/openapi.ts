import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiResponseObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { IdempotencyHeaders, type Operation, takesIdempotencyKey } from '#contract/operation.ts';
import { OPERATIONS } from '#contract/operations.ts';
import { Problem } from '#contract/problem.ts';
import { webhooks } from './openapi-webhooks.ts';

const DESCRIPTION = `Roundtrip measures what every TLS handshake costs, per region and carrier.

Times are RFC 3339 in UTC, of the years 1970 to 9000; ranges are half-open, \`[from, to)\`, with \`from\` before \`to\`, and those of
statistics have 400 days at most. Durations are milliseconds: their fields end in \`Ms\` or sit in \`phases\` and \`marks\`. What a
body names by its id must be there. What did not happen is null, never 0. Lists come in pages: pass \`nextCursor\` as \`cursor\`
until it is null. Errors are RFC 9457 problems whose \`errors\` name each invalid field. Objects of the demo have \`demo: true\`. A read has an
\`ETag\`: \`If-None-Match\` with it is answered 304 where nothing changed, and \`If-Match\` with it keeps a change from undoing another's.
A \`POST\` that makes something takes an \`Idempotency-Key\`: sent again within 24 hours it does nothing, and is answered as the first.`;

const PROBLEMS = {
  400: 'Invalid request; `errors` names each field',
  401: 'No valid key or session',
  403: 'The key’s scope is insufficient, or the request came from another site',
  404: 'Not found',
  405: 'Method not allowed; `Allow` lists the allowed ones',
  408: 'The request body did not arrive in time',
  409: 'Conflict with the current state, or the first request with this `Idempotency-Key` is under way',
  412: 'It has changed since it was read: `If-Match` names an earlier `ETag`',
  413: 'Request body too large',
  415: 'The request body is not JSON',
  422: 'The `Idempotency-Key` was used with another body',
  429: 'Too many requests; `Retry-After` gives the wait in seconds',
  500: 'Internal server error',
  503: 'Service unavailable: the database cannot be reached, or the server is starting',
} as const;
type ProblemStatus = keyof typeof PROBLEMS;

/** Headers of answers; each is a component of the document. Those of `LIMITS` are in every answer of `/api/v1`. */
const header = (id: string, description: string) => z.string().optional().meta({ description, header: { id } });
const LIMITS = {
  'RateLimit-Limit': header('RateLimitLimit', 'requests a minute that the caller has (of `/api/v1`)'),
  'RateLimit-Remaining': header('RateLimitRemaining', 'how many of them are left'),
  'RateLimit-Reset': header('RateLimitReset', 'seconds until all are there again'),
};
const ETAG = header('ETag', 'names what was read: for `If-None-Match`, and for `If-Match` of a change');
const RETRY_AFTER = header('RetryAfter', 'seconds to wait before another try');
const LOCATION = header('Location', 'the path of what was made');
const REPLAYED = header('IdempotencyReplayed', '`true`: answered as the first request with this `Idempotency-Key`');
const DISPOSITION = header('ContentDisposition', 'the name of the file');
const COOKIE = header('SetCookie', 'the cookie of the session, or its end');
const OF_PROBLEMS: Partial<Record<ProblemStatus, Record<string, z.ZodType>>> = {
  401: { 'WWW-Authenticate': header('WWWAuthenticate', '`Bearer`') },
  409: { 'Retry-After': RETRY_AFTER },
  429: { 'Retry-After': RETRY_AFTER },
  503: { 'Retry-After': RETRY_AFTER },
};

// One object a status: the document then holds each once, as a component.
const PROBLEM_RESPONSES: Record<string, ZodOpenApiResponseObject> = Object.fromEntries(
  Object.entries(PROBLEMS).map(([status, description]) => [
    status,
    {
      id: `Problem${status}`,
      description,
      headers: z.object({ ...OF_PROBLEMS[Number(status) as ProblemStatus], ...LIMITS }),
      content: { 'application/problem+json': { schema: Problem } },
    },
  ]),
);

type Override = NonNullable<NonNullable<Parameters<typeof createDocument>[1]>['override']>;

let document: ReturnType<typeof createDocument> | undefined;

/** The OpenAPI 3.1 document, made once from the schemas that parse the requests. */
export function openApiDocument() {
  document ??= createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Roundtrip',
        version: '1',
        description: DESCRIPTION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/' }],
      tags: [
        { name: 'targets', description: 'Monitored URLs' },
        { name: 'vantages', description: 'Locations and networks where probers run' },
        { name: 'results', description: 'Single probes' },
        { name: 'statistics', description: 'Series and matrices' },
        { name: 'measurements', description: 'One probe of a URL from many vantages, now' },
        { name: 'incidents', description: 'What changed, where, since when and why' },
        { name: 'events', description: 'What happens, as it does' },
        { name: 'alerting', description: 'Rules, silences and webhooks' },
        { name: 'access', description: 'API keys and sessions' },
        { name: 'prober', description: 'Requests of probers to the server' },
        { name: 'system', description: 'Health, the demo, this document' },
      ],
      paths: paths(),
      components: {
        securitySchemes: {
          key: { type: 'http', scheme: 'bearer', description: 'An API key, `rt_...`: `read` < `write` < `admin`' },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: 'rt_session',
            description:
              'A signed-in administrator; by this name, or by that under which `POST /api/v1/session` sets it; may change data only from the dashboard’s own pages',
          },
          prober: { type: 'http', scheme: 'bearer', description: 'A prober’s credential, `rtp_...`' },
        },
      },
    },
    { override: plain },
  );
  document.webhooks = webhooks(document.components?.schemas ?? {});
  for (const { get } of Object.values(document.paths ?? {})) for (const each of get?.parameters ?? []) joinList(each);
  return document;
}

type Parameter = NonNullable<ZodOpenApiOperationObject['parameters']>[number];

/** A list in a query is one parameter, with commas between its items. */
function joinList(parameter: Parameter): void {
  if (!('schema' in parameter) || typeof parameter.schema !== 'object') return;
  if ('type' in parameter.schema && parameter.schema.type === 'array') parameter.explode = false;
}

/** Leaves out what a format says already, and bounds that are those of any integer in JSON. */
const plain: Override = ({ jsonSchema }) => {
  if (jsonSchema.format === 'date-time' || jsonSchema.format === 'uuid') delete jsonSchema.pattern;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
};

function paths() {
  const byPath: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const operation of OPERATIONS) {
    byPath[operation.path] = { ...byPath[operation.path], [operation.method]: documented(operation) };
  }
  return byPath;
}

function documented(operation: Operation): ZodOpenApiOperationObject {
  const { access, params, query, body } = operation;
  const headers = headersOf(operation);
  const needs = access === 'public' || access === 'prober' ? null : `Needs the scope \`${access}\`.`;
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: [operation.description, needs].filter(Boolean).join('\n\n') || undefined,
    security: security(access),
    requestParams: {
      ...(params && { path: asObject(params) }),
      ...(query && { query: asObject(query) }),
      ...(headers && { header: headers }),
    },
    ...(body && {
      requestBody: { required: !operation.bodyOptional, content: { 'application/json': { schema: body } } },
    }),
    responses: responses(operation),
  };
}

/** Whether its answer has an `ETag`; and whether it changes what has one. */
const isRead = ({ method, success }: Operation) => method === 'get' && success.schema !== undefined;
const isConditional = ({ method, path }: Operation) =>
  method !== 'get' && method !== 'post' && OPERATIONS.some((other) => other.path === path && isRead(other));

const Tag = z.string().optional().meta({ description: 'an `ETag`, or several with commas between' });

/** The request headers that it reads. */
function headersOf(operation: Operation): z.ZodObject | undefined {
  if (isRead(operation)) return z.object({ 'If-None-Match': Tag });
  if (takesIdempotencyKey(operation)) return IdempotencyHeaders;
  return isConditional(operation) ? z.object({ 'If-Match': Tag }) : undefined;
}

function security(access: Operation['access']): Record<string, string[]>[] {
  if (access === 'public') return [];
  return access === 'prober' ? [{ prober: [] }] : [{ key: [] }, { session: [] }];
}

/** Parameters are always objects; refinements over several of them don't change that. */
const asObject = (schema: z.ZodType) => schema as z.ZodObject;

function responses(operation: Operation): ZodOpenApiResponsesObject {
  const { status, description, schema, other = {} } = operation.success;
  const types = { ...(schema && { 'application/json': schema }), ...other };
  const content = Object.fromEntries(Object.entries(types).map(([type, of]) => [type, { schema: of }]));
  const problems = problemStatuses(operation).map((code) => [code, PROBLEM_RESPONSES[code]] as const);
  return {
    [status]: {
      description,
      ...(Object.keys(types).length > 0 && { content }),
      headers: z.object(answerHeaders(operation)),
    },
    ...(isRead(operation) && {
      304: {
        description: 'Nothing changed since the `ETag` of `If-None-Match`',
        headers: z.object({ ETag: ETAG, ...LIMITS }),
      },
    }),
    ...Object.fromEntries(problems),
  };
}

/** The headers that the answer of an operation may have on success. */
function answerHeaders(operation: Operation): Record<string, z.ZodType> {
  const { id, path, access, success } = operation;
  return {
    ...(isRead(operation) && { ETag: ETAG }),
    ...(success.location && { Location: LOCATION }),
    ...(takesIdempotencyKey(operation) && { 'Idempotency-Replayed': REPLAYED }),
    ...(path.startsWith('/api/v1/exports/') && { 'Content-Disposition': DISPOSITION }),
    ...((id === 'createSession' || id === 'deleteSession') && { 'Set-Cookie': COOKIE }),
    ...((path.startsWith('/api/v1/') || access === 'read') && LIMITS),
  };
}

function problemStatuses(operation: Operation): ProblemStatus[] {
  const { access, params, body, path, problems = [] } = operation;
  const signsIn = operation.id === 'createSession' || operation.id === 'enrolProber';
  const statuses: (ProblemStatus | false)[] = [
    400,
    (path.startsWith('/api/v1/') || access !== 'public' || signsIn || path === '/metrics') && 401,
    path.startsWith('/api/v1/') && (operation.method !== 'get' || access === 'admin') && 403,
    params !== undefined && 404,
    ...problems,
    takesIdempotencyKey(operation) && 409,
    takesIdempotencyKey(operation) && 422,
    isConditional(operation) && 412,
    body !== undefined && 408,
    body !== undefined && 413,
    body !== undefined && 415,
    path.startsWith('/api/v1/') && 429,
    500,
    503,
  ];
  return [...new Set(statuses)].filter((status) => status !== false);
}
