import { subscribe } from 'node:diagnostics_channel';
import { type IncomingMessage, type RequestListener, Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as StreamOfNode } from 'node:stream/web';
import { promisify } from 'node:util';
import { constants, createGzip, gzip } from 'node:zlib';
import { beginPage } from '#server/database/ingest-queue.ts';
import { log } from '#server/environment/log.ts';
import { refused } from './admission.ts';
import { allowOrigin } from './cors.ts';
import { CutOff } from './event-stream.ts';
import { servePage } from './page-request.ts';
import { refusalOf } from './refusal.ts';

// What the HTTP server of this process does itself. Requests for the API are answered here, straight from the table of operations:
// on its way through Next each would cost several times what it costs to read a batch or a list, since the router looks through all
// pages, and headers and bodies are wrapped twice. All else is Next's, but for what it would answer with a bare 500.

/** Answers a request for the API. `method` is the one that it came with: a `Request` can have no TRACE. Never rejects. */
type Api = (request: Request, method: string) => Promise<Response>;

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

type Accepted = Socket & { server: unknown };

/** From the next request on, every HTTP server of this process answers for the API itself, and refuses what no page takes. */
export function serveApi(api: Api): void {
  const prepared = new WeakSet<Server>();
  const open = new Set<Accepted>();
  const prepare = (server: unknown) => {
    if (!(server instanceof Server) || prepared.has(server)) return;
    prepared.add(server);
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    server.headersTimeout = HEADERS_MS;
    server.requestTimeout = REQUEST_MS;
    // Node closes the connections that are idle when a server is closed. Those that it answers just then would be kept for all of that time,
    // and those that a browser opened ahead, without a request yet, for `headersTimeout`.
    const close = () => {
      server.closeIdleConnections();
      for (const socket of open) if (socket.server === server && socket.bytesRead === 0) socket.destroy();
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      process.once(signal, () => setInterval(close, CLOSING_MS).unref());
    // Nothing here speaks another protocol, and Next leaves an upgrade open without an answer: such a request is one as any other.
    server.removeAllListeners('upgrade');
    const others = server.listeners('request') as RequestListener[];
    server.removeAllListeners('request');
    server.on('request', (request, response) => {
      const pass = () => {
        for (const listener of others) listener.call(server, request, response);
      };
      void serve(api, request, response, pass);
    });
  };
  // What asks for an upgrade begins as a connection alone; a connection may be older than this.
  subscribe('net.server.socket', (message) => {
    const { socket } = message as { socket: Accepted };
    prepare(socket.server);
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  subscribe('http.server.request.start', (message) => prepare((message as { server: unknown }).server));
}

async function serve(api: Api, request: IncomingMessage, response: ServerResponse, pass: () => void): Promise<void> {
  if (await refused(request, response)) return;
  const asked = URL.parse(`http://localhost${request.url}`);
  const path = asked?.pathname.replace(/\/{2,}/g, '/').replace(/(.)\/$/, '$1');
  if (asked && path !== undefined && OF_API.test(path)) {
    const { method = 'GET' } = request;
    allowOrigin(path, request, response);
    if (path !== asked.pathname) return await answer(async () => moved(path + asked.search), request, response);
    return await answer((signal) => api(asRequest(request, asked, signal), method), request, response);
  }
  const refusal = refusalOf(request);
  if (refusal) return await answer(async () => refusal, request, response);
  if (!isPage(request)) return pass();
  response.once('close', beginPage());
  servePage(response, pass);
}

const OF_API = /^\/(api(\/|$)|metrics(\/|$))/;

/** To the same path without empty segments, which no operation has. */
const moved = (location: string) => new Response(null, { status: 308, headers: { location } });

/** Somebody looks at what comes: no file. */
const isPage = ({ method, url = '' }: IncomingMessage) => method === 'GET' && !url.startsWith('/_next/');

/** JSON from here on (bytes) is compressed for those who take gzip: a list of checks, not what becomes of a batch. */
const COMPRESSED_FROM = 4 * 1_024;
/** A body that was not read to its end is taken in and thrown away for so long, ms, for the connection to be used again. */
const LEFT_BODY_MS = 5_000;

const compress = promisify(gzip);
const QUICKLY = { level: constants.Z_BEST_SPEED };

type Make = (signal: AbortSignal) => Promise<Response>;

async function answer(make: Make, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  response.once('finish', () => leaveBody(request));
  try {
    const answered = await make(gone.signal);
    // JSON is sent whole, with its length; exports and events as they come.
    const isWhole = /^application\/([\w.-]+\+)?json\b/.test(answered.headers.get('content-type') ?? '');
    const whole = isWhole ? Buffer.from(await answered.arrayBuffer()) : null;
    response.statusCode = answered.status;
    // Of these alone there may be several, each a header of its own.
    for (const [name, value] of answered.headers)
      if (name === 'set-cookie') response.appendHeader(name, value);
      else response.setHeader(name, value);
    if (whole) await sendWhole(whole, request, response);
    else await sendAsItComes(answered, request, response);
  } catch (error) {
    // Who goes away in the middle of a stream, or does not read it, is no fault of ours.
    const isGone = (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE' || error instanceof CutOff;
    if (!isGone) log.error({ err: error }, 'a request failed');
    if (response.headersSent || response.destroyed) return void response.destroy();
    response.statusCode = 500;
    response.end();
  }
}

async function sendWhole(body: Buffer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const packed = body.byteLength >= COMPRESSED_FROM && packs(request, response) ? await compress(body, QUICKLY) : body;
  response.setHeader('content-length', packed.byteLength);
  response.end(packed);
}

/** A body that breaks off breaks the connection, so that no client takes it for whole. */
async function sendAsItComes({ body }: Response, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // A client that has gone away does not read it.
  if (body === null || request.method === 'HEAD' || response.destroyed) {
    await body?.cancel();
    response.end();
    return;
  }
  const isKept = /\bno-transform\b/.test(String(response.getHeader('cache-control')));
  await pipeline([
    Readable.fromWeb(body as StreamOfNode),
    ...(!isKept && packs(request, response) ? [createGzip(QUICKLY)] : []),
    response,
  ]);
}

/** Whether the answer's body is to be compressed; says so to its reader. */
function packs(request: IncomingMessage, response: ServerResponse): boolean {
  response.appendHeader('vary', 'accept-encoding');
  if (!takesGzip(request.headers['accept-encoding'])) return false;
  response.setHeader('content-encoding', 'gzip');
  return true;
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
 * Takes in what is left of a body, whatever its length: a sender that does not end is cut off. Where nothing of it was read,
 * the HTTP server does so by itself; where a part was read it would not.
 */
function leaveBody(request: IncomingMessage): void {
  request.removeAllListeners('readable').resume();
  if (request.complete) return;
  // Nothing says reliably that it is whole, and the connection may have other requests by then.
  setTimeout(() => request.complete || request.socket.destroy(), LEFT_BODY_MS).unref();
}

/** Methods that a `Request` refuses to have (Fetch, 2.2.1); the table refuses them by the name that it is told. */
const UNNAMEABLE = new Set(['CONNECT', 'TRACE', 'TRACK']);

/**
 * Of repeated headers Node keeps the first or joins them, as each is meant. The host is whatever it is: nothing of the API asks for it, and
 * the header may hold anything.
 */
function asRequest(request: IncomingMessage, url: URL, signal: AbortSignal): Request {
  const { method: named = 'GET' } = request;
  const method = UNNAMEABLE.has(named) ? 'OPTIONS' : named;
  const headers = new Headers();
  for (const [name, value = ''] of Object.entries(request.headers))
    for (const each of Array.isArray(value) ? value : [value]) headers.append(name, each);
  const body = method === 'GET' || method === 'HEAD' ? null : bodyOf(request);
  const init: RequestInit & { duplex: 'half' } = { method, headers, body, signal, duplex: 'half' };
  return new Request(url, init);
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
