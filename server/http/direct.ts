import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { log } from '#server/environment/log.ts';

// Probers call the same few paths all day. On its way through Next such a request costs several times what it costs to parse
// and store a batch: the router looks through all pages, headers and bodies are wrapped twice. So once Next has loaded such a
// route, its requests are answered straight from the HTTP server. The route is the same function either way; whatever is not
// exactly its method and path goes to Next as before, also the very first request.

/** A route that needs nothing of Next. */
type DirectRoute = (request: Request) => Promise<Response>;

// Next loads a module once a bundle layer: what a route's file adds, the server must find.
const key = Symbol.for('roundtrip.direct-routes');
const holder = globalThis as typeof globalThis & { [key]?: Map<string, DirectRoute> };

function directRoutes(): Map<string, DirectRoute> {
  holder[key] ??= new Map();
  return holder[key];
}

/** From now on requests of this method and exact path are answered by `route`. */
export function answerDirectly(method: string, path: string, route: DirectRoute): void {
  directRoutes().set(`${method} ${path}`, route);
}

/** Lets every HTTP server of this process answer such routes itself, from its next request on. */
export function serveDirectRoutes(): void {
  const prepared = new WeakSet<Server>();
  subscribe('http.server.request.start', (message) => {
    const { server } = message as { server: Server };
    if (prepared.has(server)) return;
    prepared.add(server);
    const others = server.listeners('request') as RequestListener[];
    server.removeAllListeners('request');
    server.on('request', (request, response) => {
      const route = routeOf(request);
      if (route) void answer(route, request, response);
      else for (const listener of others) listener.call(server, request, response);
    });
  });
}

function routeOf({ method = '', url = '' }: IncomingMessage): DirectRoute | undefined {
  const [path = ''] = url.split('?', 1);
  return directRoutes().get(`${method} ${path}`);
}

/** As Next adds to every answer (next.config.ts); nothing of an answer to a prober is a page. */
const SECURITY_HEADERS = [
  ['Content-Security-Policy', "default-src 'none'"],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
  ['Referrer-Policy', 'same-origin'],
  ['Permissions-Policy', 'camera=(), microphone=(), geolocation=()'],
] as const;

async function answer(route: DirectRoute, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const answered = await route(asRequest(request));
    const body = Buffer.from(await answered.arrayBuffer());
    response.statusCode = answered.status;
    for (const [name, value] of SECURITY_HEADERS) response.setHeader(name, value);
    for (const [name, value] of answered.headers) response.setHeader(name, value);
    response.setHeader('content-length', body.byteLength);
    response.end(body);
  } catch (error) {
    log.error({ err: error }, 'a request failed');
    if (!response.headersSent) response.statusCode = 500;
    response.end();
  }
}

/** The host is whatever it is: no such route asks for it, and the header may hold anything. */
function asRequest(request: IncomingMessage): Request {
  const { method = 'GET', url = '/', rawHeaders } = request;
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  // Put right as it arrived (arrival.ts), which the raw headers do not show.
  headers.set('x-forwarded-for', String(request.headers['x-forwarded-for'] ?? ''));
  const body = method === 'GET' || method === 'HEAD' ? null : bodyOf(request);
  const init: RequestInit & { duplex: 'half' } = { method, headers, body, duplex: 'half' };
  return new Request(new URL(url, 'http://localhost'), init);
}

/** A body that may be left half read: then the connection stays, for the answer that says why. */
function bodyOf(request: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = request.iterator({ destroyOnReturn: false });
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await chunks.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
