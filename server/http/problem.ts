import type { Problem } from '#contract/problem.ts';
import { cannotWrite, isDatabaseAway, isTooSlow } from '#server/database/faults.ts';
import { type FieldError, ServiceError, type ServiceErrorCode } from '#server/environment/errors.ts';
import { log } from '#server/environment/log.ts';
import { BodyTimeoutError, MediaTypeError } from './body.ts';

/** What only HTTP can get wrong, beside what a service refuses. */
type TransportCode = 'method_not_allowed' | 'precondition_failed' | 'timed_out' | 'unsupported_media_type' | 'internal';
export type ProblemCode = ServiceErrorCode | TransportCode;

const STATUS = {
  invalid: 400,
  unauthorised: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  timed_out: 408,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  key_reused: 422,
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
  timed_out: 'Request body not received',
  conflict: 'Conflict with the current state',
  precondition_failed: 'Changed since it was read',
  too_large: 'Request body too large',
  key_reused: 'Idempotency-Key used for another request',
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
  if (code === 'unavailable' && !response.headers.has('retry-after')) response.headers.set('retry-after', '5');
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
  if (error instanceof BodyTimeoutError) return problem('timed_out', error.message);
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
