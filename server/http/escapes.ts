import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

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

/**
 * Next answers a broken escape with a bare 500 before anything of ours is asked. Mended as it arrives, the request ends as
 * any other with an id or a path that is none: 400 or 404, with the reason.
 */
export function mendEscapes(): void {
  subscribe('http.server.request.start', (message) => {
    const { request } = message as { request: IncomingMessage };
    if (request.url?.includes('%')) request.url = decodableTarget(request.url);
  });
}
