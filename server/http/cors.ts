import type { IncomingMessage, ServerResponse } from 'node:http';
import { isOwnOrigin } from '#server/access/origin.ts';
import { environment } from '#server/environment/environment.ts';

/** What pages of other origins may ask, with a key: not what signs in, and nothing of probers. */
const SHARED = /^\/api\/v1\/(?!(sessions?|password)(\/|$))/;
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const SENT = 'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID';
const READ =
  'Allow, Content-Disposition, ETag, Idempotency-Replayed, Location, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After';
/** How long (s) a browser may remember what it was told before a request. */
const REMEMBERED_SECONDS = 3_600;

/**
 * Tells a browser that a page of an origin of `ROUNDTRIP_CORS_ORIGINS` may read the answer (Fetch, 3.3), and before a request what it may
 * send. Never with cookies: what comes with such a request is not looked at.
 */
export function allowOrigin(path: string, { method, headers }: IncomingMessage, response: ServerResponse): void {
  const { ROUNDTRIP_CORS_ORIGINS: origins } = environment();
  if (origins.length === 0 || !SHARED.test(path)) return;
  // Of two origins each has its own answer, also where something between keeps them.
  response.appendHeader('Vary', 'Origin');
  const { origin } = headers;
  const way = {
    host: String(headers['x-forwarded-host'] ?? headers.host),
    scheme: String(headers['x-forwarded-proto']),
  };
  if (origin === undefined || !origins.includes(origin) || isOwnOrigin(origin, way)) return;
  delete headers.cookie;
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Expose-Headers', READ);
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return;
  response.setHeader('Access-Control-Allow-Methods', METHODS);
  response.setHeader('Access-Control-Allow-Headers', SENT);
  response.setHeader('Access-Control-Max-Age', REMEMBERED_SECONDS);
}
