import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { clientAddress, isTrustedPeer } from '#server/access/client-address.ts';
import { isOwnOrigin } from '#server/access/origin.ts';
import { environment } from '#server/environment/environment.ts';
import { setSecurityHeaders } from './security-headers.ts';

/** What a proxy says of the client's side of the connection, beside its address. */
const FORWARDED = ['x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port'] as const;

/**
 * Puts right what a request says of itself, as it arrives and before Next looks at it. From here on `X-Forwarded-For` holds
 * one address, the client's, and the other `X-Forwarded-` headers are a trusted proxy's or absent; the answer has its security
 * headers; and a broken escape in the path, to which Next would answer a bare 500, stands for itself, so that the request ends
 * as any other with an id or a path that is none: 400 or 404, with the reason. Where a page of ours asks, `X-Forwarded-Host` is
 * our host as its browser sees it: by that Next judges server actions. What is asked of the host of an https public URL came over
 * https, where no trusted proxy says how it came.
 */
export function prepareRequests(): void {
  const { ROUNDTRIP_TRUSTED_PROXIES: trusted, ROUNDTRIP_PUBLIC_URL: publicUrl } = environment();
  subscribe('http.server.request.start', (message) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    const { headers, socket } = request;
    takeAbsoluteForm(request);
    if (request.url !== undefined) request.url = decodableTarget(plainTarget(request.url));
    const isProxy = isTrustedPeer(socket.remoteAddress, trusted);
    for (const name of FORWARDED) {
      const value = isProxy ? firstOf(headers[name]) : '';
      if (value === '') delete headers[name];
      else headers[name] = value;
    }
    headers['x-forwarded-for'] = clientAddress(socket.remoteAddress, listOf(headers['x-forwarded-for']), trusted);
    const host = listOf(headers['x-forwarded-host']) ?? headers.host;
    if (isAtHttps(publicUrl, host)) headers['x-forwarded-proto'] ??= 'https';
    const scheme = listOf(headers['x-forwarded-proto']);
    if (headers.origin && isOwnOrigin(headers.origin, { host, scheme }))
      headers['x-forwarded-host'] = new URL(headers.origin).host;
    setSecurityHeaders(request, response, scheme === 'https');
  });
}

/**
 * `GET http://host/path`, as a client asks that takes us for a proxy: the host is the one of the target, whatever `Host` says (RFC 9112,
 * 3.2.2).
 */
function takeAbsoluteForm(request: IncomingMessage): void {
  const [, host, path = ''] = /^https?:\/\/([^/?#]+)([^#]*)/i.exec(request.url ?? '') ?? [];
  if (host === undefined) return;
  request.url = path.startsWith('/') ? path : `/${path}`;
  request.headers.host = host;
}

const listOf = (value: string | string[] | undefined) => (Array.isArray(value) ? value.join(',') : value);

/** Of several proxies the outermost speaks of the client's side; it replaces what clients send. */
const firstOf = (value: string | string[] | undefined) => listOf(value)?.split(',')[0]?.trim().toLowerCase() ?? '';

/** Whether this host, with its port, is that of a public URL that is https. */
export function isAtHttps(publicUrl: string | undefined, host: string | undefined): boolean {
  return publicUrl !== undefined && URL.parse(`https://${host}`)?.origin === new URL(publicUrl).origin;
}

/**
 * A request target without `.` and `..`, as everybody behind reads it (WHATWG URL, which takes `\` and `%2e` for the same): who limits
 * and refuses by path judges the one that is answered.
 */
export function plainTarget(target: string): string {
  const [path = ''] = target.split('?', 1);
  if (!/[\\]|\/(\.|%2e){1,2}(\/|$)/i.test(path)) return target;
  const parsed = URL.parse(`http://localhost${path.replaceAll('\\', '/')}`);
  return parsed ? `${parsed.pathname}${target.slice(path.length)}` : target;
}

/**
 * A request target whose path can be decoded: where an escape is broken (`%zz`, or bytes that are no UTF-8), each `%` of
 * the path stands for itself. The query keeps what it has: its parser takes broken escapes as they are.
 */
export function decodableTarget(target: string): string {
  const [path = ''] = target.split('?', 1);
  try {
    decodeURIComponent(path);
    return target;
  } catch {
    return `${path.replaceAll('%', '%25')}${target.slice(path.length)}`;
  }
}
