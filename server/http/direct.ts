import { subscribe } from 'node:diagnostics_channel';
import { type IncomingMessage, type RequestListener, Server, type ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { beginPage } from '#server/database/turns.ts';
import { log } from '#server/environment/log.ts';
import { refused } from './admission.ts';
import { servePage } from './page-request.ts';
import { refusalOf } from './refusal.ts';

// Probers call the same few paths all day. On its way through Next such a request costs several times what it costs to parse
// and store a batch: the router looks through all pages, headers and bodies are wrapped twice. So once Next has loaded the API,
// these are answered straight from the HTTP server. The route is the same function either way; whatever is not exactly its
// method and path goes to Next as before, also the very first request.

/** A route that needs nothing of Next. */
type DirectRoute = (request: Request) => Promise<Response>;

// Next loads a module once a bundle layer: what the API adds, the server must find.
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

/**
 * A connection stays open so long (ms) between two requests. Load balancers keep theirs for 60 s as a rule: a server that closes
 * first does so while a request is on its way, which then ends as a 502. Node gives a request's headers less than that by default.
 */
const KEEP_ALIVE_MS = 75_000;
const HEADERS_MS = KEEP_ALIVE_MS + 5_000;
/**
 * A request that is not whole by then (ms) is answered 408 and its connection closed; Node looks every 30 s. Longer than a route waits for
 * its body (body.ts): this is for pages and server actions, whose body Next waits for without a limit.
 */
const REQUEST_MS = HEADERS_MS + 10_000;

/** How often (ms) a server that was told to stop closes what has become idle since. */
const CLOSING_MS = 100;

/** Lets every HTTP server of this process answer such routes itself, and refuse what no route takes, from its next request on. */
export function serveDirectRoutes(): void {
  const prepared = new WeakSet<Server>();
  const prepare = (server: unknown) => {
    if (!(server instanceof Server) || prepared.has(server)) return;
    prepared.add(server);
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    server.headersTimeout = HEADERS_MS;
    server.requestTimeout = REQUEST_MS;
    // Node closes the connections that are idle when a server is closed; those that it answers just then would be kept for all of that time.
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      process.once(signal, () => setInterval(() => server.closeIdleConnections(), CLOSING_MS).unref());
    // Nothing here speaks another protocol, and Next leaves an upgrade open without an answer: such a request is one as any other.
    server.removeAllListeners('upgrade');
    const others = server.listeners('request') as RequestListener[];
    server.removeAllListeners('request');
    server.on('request', (request, response) => {
      const refusal = refusalOf(request);
      const route = refusal ? undefined : routeOf(request);
      if (route) void answer((signal) => route(asRequest(request, signal)), request, response);
      else
        void pass(request, response, () => {
          if (refusal) return void answer(async () => refusal, request, response);
          for (const listener of others) listener.call(server, request, response);
        });
    });
  };
  // What asks for an upgrade begins as a connection alone; a connection may be older than this.
  subscribe('net.server.socket', (message) => prepare((message as { socket: { server: unknown } }).socket.server));
  subscribe('http.server.request.start', (message) => prepare((message as { server: unknown }).server));
}

async function pass(request: IncomingMessage, response: ServerResponse, next: () => void): Promise<void> {
  if (await refused(request, response)) return;
  if (!isPage(request)) return next();
  response.once('close', beginPage());
  servePage(response, next);
}

function routeOf({ method = '', url = '' }: IncomingMessage): DirectRoute | undefined {
  const [path = ''] = url.split('?', 1);
  return directRoutes().get(`${method} ${path}`);
}

/** Somebody looks at what comes: neither a file nor what scripts fetch in bulk. */
const isPage = ({ method, url = '' }: IncomingMessage) =>
  method === 'GET' && !url.startsWith('/_next/') && !url.startsWith('/api/');

/** Answers from here on (bytes) are compressed for those who take gzip: a list of checks, not what becomes of a batch. */
const COMPRESSED_FROM = 4 * 1_024;
/** A body that was not read to its end is taken in and thrown away for so long, ms, for the connection to be used again. */
const LEFT_BODY_MS = 5_000;

const compress = promisify(gzip);

type Make = (signal: AbortSignal) => Promise<Response>;

async function answer(make: Make, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  response.once('finish', () => leaveBody(request));
  try {
    const answered = await make(gone.signal);
    const body = await packed(Buffer.from(await answered.arrayBuffer()), request, response);
    response.statusCode = answered.status;
    // Of these alone there may be several, each a header of its own.
    for (const [name, value] of answered.headers)
      if (name === 'set-cookie') response.appendHeader(name, value);
      else response.setHeader(name, value);
    response.setHeader('content-length', body.byteLength);
    response.end(body);
  } catch (error) {
    log.error({ err: error }, 'a request failed');
    if (!response.headersSent) response.statusCode = 500;
    response.end();
  }
}

async function packed(body: Buffer, request: IncomingMessage, response: ServerResponse): Promise<Buffer> {
  if (body.byteLength < COMPRESSED_FROM) return body;
  response.setHeader('vary', 'accept-encoding');
  if (!takesGzip(request.headers['accept-encoding'])) return body;
  response.setHeader('content-encoding', 'gzip');
  return await compress(body, { level: constants.Z_BEST_SPEED });
}

/** Whether a list such as `br;q=1, gzip;q=0.5` has gzip, or all, with a weight that is not 0 (RFC 9110, 12.5.3). */
function takesGzip(accepted: string | string[] | undefined): boolean {
  const weights = new Map(
    String(accepted ?? '')
      .toLowerCase()
      .split(',')
      .map((each) => {
        const [coding = '', ...parameters] = each.split(';').map((part) => part.trim());
        const weight = parameters.find((part) => part.startsWith('q='));
        return [coding, weight === undefined ? 1 : Number(weight.slice(2))] as const;
      }),
  );
  return (weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0) > 0;
}

/**
 * Takes in what is left of a body, whatever its length: a sender that does not end is cut off. Of one that nobody has begun to read
 * the HTTP server does so by itself, of one that was left half read nobody would.
 */
function leaveBody(request: IncomingMessage): void {
  request.removeAllListeners('readable').resume();
  if (request.complete) return;
  // Nothing says reliably that it is whole, and the connection may have other requests by then.
  setTimeout(() => request.complete || request.socket.destroy(), LEFT_BODY_MS).unref();
}

/**
 * Headers are those that Next would see: of repeated ones, Node keeps the first or joins them, as each is meant. The host is whatever it
 * is: no such route asks for it, and the header may hold anything.
 */
function asRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', url = '/' } = request;
  const headers = new Headers();
  for (const [name, value = ''] of Object.entries(request.headers))
    for (const each of Array.isArray(value) ? value : [value]) headers.append(name, each);
  const body = method === 'GET' || method === 'HEAD' ? null : bodyOf(request);
  const init: RequestInit & { duplex: 'half' } = { method, headers, body, signal, duplex: 'half' };
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
