import type { Problem } from '#contract/problem.ts';
import { type FieldError, ServiceError, type ServiceErrorCode } from '#server/environment/errors.ts';
import { log } from '#server/environment/log.ts';
import { MediaTypeError } from './body.ts';

/** What only HTTP can get wrong, beside what a service refuses. */
type TransportCode = 'method_not_allowed' | 'unsupported_media_type' | 'internal';
export type ProblemCode = ServiceErrorCode | TransportCode;

const STATUS = {
  invalid: 400,
  unauthorised: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
} as const satisfies Record<ProblemCode, number>;

const TITLE = {
  invalid: 'Invalid request',
  unauthorised: 'Authentication required',
  forbidden: 'Forbidden',
  not_found: 'Not found',
  method_not_allowed: 'Method not allowed',
  conflict: 'Conflict with the current state',
  too_large: 'Request body too large',
  unsupported_media_type: 'Unsupported media type',
  rate_limited: 'Too many requests',
  internal: 'Internal server error',
  unavailable: 'Service unavailable',
} as const satisfies Record<ProblemCode, string>;

/** An RFC 9457 response. Its `type` ends in the code, for programs to switch over. */
export function problem(code: ProblemCode, detail: string, fields?: FieldError[], headers?: HeadersInit): Response {
  const body: Problem = {
    type: `urn:roundtrip:problem:${code.replaceAll('_', '-')}`,
    title: TITLE[code],
    status: STATUS[code],
    detail,
    ...(fields?.length ? { errors: fields } : {}),
  };
  const response = Response.json(body, { status: STATUS[code], headers });
  response.headers.set('content-type', 'application/problem+json');
  response.headers.set('cache-control', 'no-store');
  if (code === 'unauthorised') response.headers.set('www-authenticate', 'Bearer');
  if (code === 'unavailable') response.headers.set('retry-after', '5');
  return response;
}

/** Any thrown value as a response: what a service refused on purpose, a database that is away, or a fault of ours. */
export function problemOf(error: unknown): Response {
  if (error instanceof ServiceError) {
    const { retryAfter } = error;
    const headers = retryAfter === undefined ? undefined : { 'retry-after': String(retryAfter) };
    return problem(error.code, error.message, error.fields, headers);
  }
  if (error instanceof MediaTypeError) return problem('unsupported_media_type', error.message);
  if (isTooSlow(error)) {
    log.error({ err: error }, 'the database took too long');
    return problem('unavailable', 'The database query timed out. Try again, or request less data at once.');
  }
  if (isDatabaseAway(error)) {
    log.error({ err: error }, 'the database cannot be reached');
    return problem('unavailable', 'The database cannot be reached.');
  }
  if (cannotWrite(error)) {
    log.error({ err: error }, 'the database cannot be written');
    return problem(
      'unavailable',
      'The database cannot be written: it is out of disk, memory or connections, or read-only.',
    );
  }
  log.error({ err: error }, 'a request failed');
  return problem('internal', 'An internal error occurred. See the server log.');
}

// Node's socket errors, PostgreSQL's «shutting down», «crashed» and «starting up», and Prisma's names for the same.
const AWAY = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'ENOENT',
  '57P01',
  '57P02',
  '57P03',
  '53300',
  'P1001',
  'P1002',
  'P1017',
  'P2028',
]);
// PostgreSQL's «canceled» (by statement_timeout), «lock not available» and «idle in transaction», and our own end of waiting.
const TOO_SLOW = new Set(['57014', '55P03', '25P03', 'ETIMEDOUT', 'P1008']);

const isTooSlow = (error: unknown) => faultsOf(error).some(({ codes }) => codes.some((code) => TOO_SLOW.has(code)));

function isDatabaseAway(error: unknown): boolean {
  return faultsOf(error).some(
    ({ codes, message }) =>
      codes.some((code) => AWAY.has(code)) ||
      /timeout exceeded when trying to connect|connection terminated/i.test(message),
  );
}

/**
 * PostgreSQL's class 53 (out of disk, memory, connections), class 58 (input and output fail), and «read-only transaction»,
 * which is a standby or a server in need.
 */
const CANNOT_WRITE = /^(53\w{3}|58\w{3}|25006)$/;

function cannotWrite(error: unknown): boolean {
  return faultsOf(error).some(
    ({ codes, message }) =>
      codes.some((code) => CANNOT_WRITE.test(code)) || /could not extend file|no space left on device/i.test(message),
  );
}

/** The codes and messages of an error and of all that it says was behind it; Prisma keeps PostgreSQL's under its own names. */
function faultsOf(error: unknown): { codes: string[]; message: string }[] {
  const faults: { codes: string[]; message: string }[] = [];
  const seen = new Set<unknown>();
  const waiting = [error];
  while (waiting.length > 0) {
    const at = waiting.pop();
    if (typeof at !== 'object' || at === null || seen.has(at)) continue;
    seen.add(at);
    const { code, originalCode, message, cause, meta, driverAdapterError } = at as Record<string, unknown>;
    const codes = [code, originalCode].filter((each) => typeof each === 'string');
    faults.push({ codes, message: typeof message === 'string' ? message : '' });
    waiting.push(cause, meta, driverAdapterError);
  }
  return faults;
}
