import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** What becomes of one request on its way. */
export type Fault =
  /** Answered by the proxy; the server never hears of it. `hangUp`: no answer at all. */
  | { kind: 'answer'; status: number; type?: string; body?: string; headers?: Record<string, string> }
  | { kind: 'hangUp' }
  /** The server gets it and answers; the answer is lost. */
  | { kind: 'loseAnswer' }
  /** The server gets it twice, one after the other; the first answer, or the second one, comes back. */
  | { kind: 'double'; answer: 'first' | 'second' }
  /** Held back until this many more requests have gone by, or `release` is called. */
  | { kind: 'hold'; requests: number };

export type Passing = { method: string; path: string; body: Buffer };

const html = (status: number, title: string): Fault & { kind: 'answer' } => ({
  kind: 'answer',
  status,
  type: 'text/html',
  body: `<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`,
});

/** What middleboxes say. None of it is the server's word. */
export const MIDDLEBOX = {
  html400: html(400, '400 Bad Request'),
  empty400: { kind: 'answer', status: 400 },
  html401: { ...html(401, 'Sign in to the network'), headers: { 'www-authenticate': 'Basic realm="guest"' } },
  html403: html(403, 'Blocked by policy'),
  html413: html(413, '413 Request Entity Too Large'),
  html503: html(503, 'Service Unavailable'),
  portal200: html(200, 'Welcome to the hotel'),
  json200: { kind: 'answer', status: 200, type: 'application/json', body: '{"status":"ok"}' },
  json400: { kind: 'answer', status: 400, type: 'application/json', body: '{"detail":"bad request"}' },
  problem400: {
    kind: 'answer',
    status: 400,
    type: 'application/problem+json',
    body: '{"type":"about:blank","title":"Bad Request","status":400,"detail":"a gateway says so"}',
  },
  redirect302: { kind: 'answer', status: 302, headers: { location: 'http://portal.invalid/' } },
} as const satisfies Record<string, Fault>;

/** A real HTTP proxy before a server, at which requests can be made to go wrong. */
export class FaultProxy {
  /** Asked for each request; null lets it through. */
  fault: (passing: Passing, number: number) => Fault | null = () => null;
  /** Requests that came, that reached the server, and that met a fault. */
  readonly counts = { requests: 0, forwarded: 0, faults: 0 };
  readonly #target: string;
  readonly #events = new EventEmitter().setMaxListeners(0);
  #server: Server | undefined;
  #port = 0;

  /** `target` as `http://127.0.0.1:3000`. */
  constructor(target: string) {
    this.#target = target;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async open(): Promise<this> {
    const server = createServer((from, to) => {
      this.#pass(from, to).catch(() => to.destroy()); // the server is away: so is its proxy
    });
    this.#server = server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
    return this;
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    this.release();
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  /** Lets go of what is held back. */
  release(): void {
    this.#events.emit('release');
  }

  /** Resolves as soon as this holds; asked after every request. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await once(this.#events, 'passed');
  }

  async #pass(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const body = await buffer(from);
    const { method = 'GET', url: path = '/' } = from;
    this.counts.requests += 1;
    const fault = this.fault({ method, path, body }, this.counts.requests);
    this.#events.emit('came');
    if (fault) this.counts.faults += 1;
    try {
      if (fault?.kind === 'answer') return answer(to, fault);
      if (fault?.kind === 'hangUp') return void to.destroy();
      if (fault?.kind === 'hold') await this.#held(fault.requests);
      const first = await this.#forward(from, body);
      const second = fault?.kind === 'double' ? await this.#forward(from, body) : null;
      if (fault?.kind === 'loseAnswer') return void to.destroy();
      const { status, headers, content } =
        fault?.kind === 'double' && fault.answer === 'second' && second ? second : first;
      to.writeHead(status, headers).end(content);
    } finally {
      this.#events.emit('passed');
    }
  }

  async #held(requests: number): Promise<void> {
    const goal = this.counts.requests + requests;
    const released = once(this.#events, 'release');
    while (this.counts.requests < goal) {
      const woken = await Promise.race([released.then(() => true), once(this.#events, 'came').then(() => false)]);
      if (woken) return;
    }
  }

  async #forward(from: IncomingMessage, body: Buffer) {
    const { connection: _connection, 'transfer-encoding': _coding, ...headers } = from.headers;
    const forwarded = request(new URL(from.url ?? '/', this.#target), {
      method: from.method,
      headers: { ...headers, 'content-length': body.length },
      agent: false,
    });
    forwarded.end(body);
    const [response] = (await once(forwarded, 'response')) as [IncomingMessage];
    const content = await buffer(response);
    this.counts.forwarded += 1;
    const { connection: _theirs, 'transfer-encoding': _theirCoding, ...back } = response.headers;
    return { status: response.statusCode ?? 502, headers: { ...back, 'content-length': content.length }, content };
  }
}

function answer(to: ServerResponse, { status, type, body = '', headers = {} }: Fault & { kind: 'answer' }): void {
  to.writeHead(status, { ...(type ? { 'content-type': type } : {}), ...headers }).end(body);
}
