import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { clientAddress } from '#server/access/client-address.ts';
import { environment } from '#server/environment/environment.ts';

/**
 * Puts right what a request says of itself, as it arrives and before Next looks at it. From here on `X-Forwarded-For` holds
 * one address, the client's; and a broken escape in the path, to which Next would answer a bare 500, stands for itself, so
 * that the request ends as any other with an id or a path that is none: 400 or 404, with the reason.
 */
export function prepareRequests(): void {
  const trusted = environment().ROUNDTRIP_TRUSTED_PROXIES;
  subscribe('http.server.request.start', (message) => {
    const { request } = message as { request: IncomingMessage };
    if (request.url?.includes('%')) request.url = decodableTarget(request.url);
    const forwarded = request.headers['x-forwarded-for'];
    request.headers['x-forwarded-for'] = clientAddress(
      request.socket.remoteAddress,
      Array.isArray(forwarded) ? forwarded.join(',') : forwarded,
      trusted,
    );
  });
}

/**
 * A request target whose path can be decoded: where an escape is broken (`%zz`, or bytes that are no UTF-8), each `%` of
 * the path stands for itself. The query keeps what it has: whoever parses it takes broken escapes as they are.
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
