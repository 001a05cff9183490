import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** How long (s) a browser that came over https comes over nothing else: a year. */
const HSTS_SECONDS = 31_536_000;
const CSP = 'content-security-policy';

const ALWAYS = [
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
  ['Referrer-Policy', 'same-origin'],
  ['Permissions-Policy', 'camera=(), microphone=(), geolocation=()'],
] as const;

/** Data is no page: whatever a browser makes of it may load and run nothing. */
const OF_DATA = "default-src 'none'; frame-ancestors 'none'";

/** Scripts and styles of this origin that carry the nonce of this one answer, and what such a script loads. */
function policyOfPages(nonce: string): string {
  return [
    "default-src 'self'",
    // 'self' is for browsers that do not know 'strict-dynamic', which the others take in its place.
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${process.env.NODE_ENV === 'development' ? " 'unsafe-eval'" : ''}`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/**
 * Gives an answer its security headers before anything writes it. Next reads the nonce for its own scripts from the
 * request's header of the policy, which is therefore this one and never the client's.
 */
export function setSecurityHeaders(request: IncomingMessage, response: ServerResponse, isSecure: boolean): void {
  const isData = /^\/(api|_next|metrics)(\/|\?|$)/.test(request.url ?? '');
  const isDocs = /^\/api\/docs(\?|$)/.test(request.url ?? '');
  const policy = isData && !isDocs ? OF_DATA : policyOfPages(randomBytes(16).toString('base64'));
  delete request.headers[`${CSP}-report-only`];
  request.headers[CSP] = policy;
  response.setHeader('Content-Security-Policy', policy);
  for (const [name, value] of ALWAYS) response.setHeader(name, value);
  if (isSecure) response.setHeader('Strict-Transport-Security', `max-age=${HSTS_SECONDS}`);
}

/** The nonce of a policy; undefined where it has none. */
export function nonceOf(policy: string | null): string | undefined {
  return /'nonce-([^']+)'/.exec(policy ?? '')?.[1];
}
