import { Agent, request as ask, createServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { prepareRequests } from '#server/http/arrival.ts';
import { BodyTimeoutError, readJson } from '#server/http/body.ts';
import { serveApi } from '#server/http/server.ts';
import { words } from '../support/words.ts';

const PATH = '/api/results';
const MIB = 1024 * 1024;

type Answer = { status: number; headers: IncomingHttpHeaders; body: string; bytes: Buffer };

/** What answers a path of the API here. */
const routes = new Map<string, (request: Request) => Promise<Response>>();

describe('the HTTP server', () => {
  const server = createServer((request, response) => response.end(`Next has ${request.method} ${request.url}`));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const sockets = new Set<unknown>();

  beforeAll(async () => {
    server.keepAliveTimeout = 600_000;
    prepareRequests();
    serveApi(async (request, method) => {
      const route = routes.get(new URL(request.url).pathname);
      return (await route?.(request)) ?? new Response(null, { status: 404, headers: { 'x-method': method } });
    });
    server.on('connection', (socket) => sockets.add(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    routes.set(PATH, async (request) => {
      const said = { at: request.headers.get('x-forwarded-for'), query: new URL(request.url).search };
      if (request.headers.get('x-unread')) return new Response('unread', { status: 413 });
      if (request.headers.get('x-throws')) throw new Error('a fault of ours');
      const headers = { 'content-type': 'application/json', 'x-method': request.method };
      return new Response(JSON.stringify({ ...said, bytes: (await request.arrayBuffer()).byteLength }), { headers });
    });
  });
  afterAll(() => {
    agent.destroy();
    server.close();
  });

  async function send(method: string, path: string, body = '', headers: Record<string, string> = {}): Promise<Answer> {
    const { port } = server.address() as AddressInfo;
    return await new Promise((resolve, reject) => {
      const asked = ask({ host: '127.0.0.1', port, method, path, headers, agent }, async (response) => {
        const bytes = await buffer(response).catch(reject);
        if (!bytes) return;
        const { statusCode = 0 } = response;
        resolve({ status: statusCode, headers: response.headers, body: bytes.toString(), bytes });
      });
      asked.on('error', reject);
      asked.end(body);
    });
  }

  it('gives them the request with its body, its query and the address it came from', async () => {
    const { status, headers, body } = await send('POST', `${PATH}?a=b`, 'x'.repeat(MIB));
    expect({ status, body: JSON.parse(body) }).toEqual({
      status: 200,
      body: { at: '127.0.0.1', query: '?a=b', bytes: MIB },
    });
    expect(headers).toMatchObject({
      'x-method': 'POST',
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'x-content-type-options': 'nosniff',
    });
  });

  it.each([
    ['GET', '/'],
    ['POST', `/x${PATH}`],
    ['GET', '/apis'],
    ['GET', '/metricsx'],
    ['GET', `/%61pi/results`],
  ])('leaves all that is not of the API to Next: %s %s', async (method, path) => {
    expect(await send(method, path)).toMatchObject({ status: 200, body: `Next has ${method} ${path}` });
  });

  it.each(words('/api /api/none /api/res%75lts /x/../api/none /metrics?x=1 /metrics/probes?tag=a /metrics/none'))(
    'gives the table what is of the API: %s',
    async (path) => {
      for (const method of ['GET', 'TRACE'])
        expect(await send(method, path)).toMatchObject({ status: 404, headers: { 'x-method': method } });
    },
  );

  it.each([
    [`${PATH}/`, PATH],
    [`/${PATH}//?a=b`, `${PATH}?a=b`],
    ['/metrics/', '/metrics'],
    ['/metrics//probes/', '/metrics/probes'],
  ])('leads %s to the path without empty segments', async (path, location) => {
    expect(await send('POST', path)).toMatchObject({ status: 308, headers: { location } });
  });

  it('sends what is no JSON as it comes, packed for those who take that, and none of it for HEAD', async () => {
    const encode = (text: string) => new TextEncoder().encode(text);
    const cancel = vi.fn();
    routes.set(`${PATH}/lines`, async () => {
      const lines = ['one\n', 'two\n'];
      const pull = (controller: ReadableStreamDefaultController) => {
        const line = lines.shift();
        if (line) controller.enqueue(encode(line));
        else controller.close();
      };
      const body = new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
      return new Response(body, { headers: { 'content-type': 'text/csv' } });
    });
    expect(await send('GET', `${PATH}/lines`)).toMatchObject({ body: 'one\ntwo\n' });
    const packed = await send('GET', `${PATH}/lines`, '', { 'accept-encoding': 'gzip' });
    expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
    expect(gunzipSync(packed.bytes).toString()).toBe('one\ntwo\n');
    expect(cancel).not.toHaveBeenCalled();
    expect(await send('HEAD', `${PATH}/lines`)).toMatchObject({ status: 200, body: '' });
    expect(cancel).toHaveBeenCalledOnce();
  });

  it('sends events at once, and ends them when their reader has gone', async () => {
    const gone = Promise.withResolvers<void>();
    routes.set(`${PATH}/events`, async () => {
      const start = (controller: ReadableStreamDefaultController) =>
        controller.enqueue(new TextEncoder().encode('data: 1\n\n'));
      const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store, no-transform' };
      return new Response(new ReadableStream({ start, cancel: () => gone.resolve() }), { headers });
    });
    const { port } = server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    socket.write(`GET ${PATH}/events HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n`);
    let said = '';
    for await (const piece of socket) {
      said += piece;
      if (said.includes('data: 1')) break; // which destroys the socket
    }
    expect(said).not.toMatch(/content-encoding/i);
    await gone.promise;
  });

  it('breaks the connection off where a body breaks off', async () => {
    routes.set(`${PATH}/breaks`, async () => {
      let pulls = 0;
      const pull = (controller: ReadableStreamDefaultController) => {
        pulls += 1;
        if (pulls === 1) controller.enqueue(new TextEncoder().encode('half'));
        else controller.error(new Error('a fault of ours'));
      };
      return new Response(new ReadableStream({ pull }), { headers: { 'content-type': 'text/csv' } });
    });
    await expect(send('GET', `${PATH}/breaks`)).rejects.toThrow();
    expect(await send('POST', PATH, 'abc')).toMatchObject({ status: 200 });
  });

  it('answers what asks for an upgrade as any other, were it the first request', async () => {
    const fresh = createServer((_, response) => response.end('no upgrade'));
    fresh.on('upgrade', () => {}); // as Next's, which leaves the socket open
    await new Promise<void>((resolve) => fresh.listen(0, '127.0.0.1', resolve));
    const socket = connect((fresh.address() as AddressInfo).port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 .*no upgrade$/s);
    fresh.close();
  });

  it('gives a request a minute and a half to arrive', () => {
    // Of each request; Node's own limit is 5 min.
    expect(server).toMatchObject({ requestTimeout: 90_000, headersTimeout: 80_000, keepAliveTimeout: 75_000 });
  });

  it('keeps the connection where a route answers before it has read the body', async () => {
    await send('POST', PATH);
    const before = sockets.size;
    const unread = await send('POST', PATH, 'x'.repeat(2 * MIB), { 'x-unread': '1' });
    expect(unread).toMatchObject({ status: 413, body: 'unread' });
    expect(await send('POST', PATH, 'abc')).toMatchObject({ status: 200 });
    expect(sockets.size).toBe(before);
  });

  it('keeps it for the requests that follow, too, however much later', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      await send('POST', PATH);
      const before = sockets.size;
      for (const body of ['{}', 'x'.repeat(2 * MIB)]) await send('POST', PATH, body, { 'x-unread': '1' });
      vi.advanceTimersByTime(10_000);
      expect(await send('POST', PATH, 'abc')).toMatchObject({ status: 200 });
      expect(sockets.size).toBe(before);
    } finally {
      vi.useRealTimers();
    }
  });

  it('says of a body that breaks off that its sender is gone, which is no fault of ours', async () => {
    const failed = Promise.withResolvers<unknown>();
    routes.set(`${PATH}/broken`, async (request) => {
      await readJson(request).catch(failed.resolve);
      return new Response('nobody reads this');
    });
    const { port } = server.address() as AddressInfo;
    const head = ['Host: x', 'Content-Type: application/json', 'Content-Length: 100'].join('\r\n');
    const socket = connect(port, '127.0.0.1');
    socket.write(`POST ${PATH}/broken HTTP/1.1\r\n${head}\r\n\r\nhalf`, () => socket.destroy());
    expect(await failed.promise).toBeInstanceOf(BodyTimeoutError);
    expect(await send('POST', PATH, 'abc')).toMatchObject({ status: 200 });
  });

  it('tells a route that its client has gone away', async () => {
    const begun = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    routes.set(`${PATH}/waits`, async (request) => {
      request.signal.addEventListener('abort', () => gone.resolve());
      begun.resolve();
      await gone.promise;
      return new Response('nobody reads this');
    });
    const { port } = server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    socket.write(`POST ${PATH}/waits HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`);
    await begun.promise;
    socket.destroy();
    await gone.promise;
  });

  it('compresses large answers for those who take gzip, and no others', async () => {
    const long = 'checks '.repeat(2_000);
    routes.set(`${PATH}/long`, async () => Response.json(long));
    routes.set(`${PATH}/short`, async () => Response.json('short'));
    for (const accepted of ['gzip', 'br;q=1.0, gzip;q=0.5', '*', 'GZIP , br']) {
      const { headers, bytes } = await send('POST', `${PATH}/long`, '', { 'accept-encoding': accepted });
      expect(headers).toMatchObject({
        'content-encoding': 'gzip',
        vary: 'accept-encoding',
        'content-length': String(bytes.length),
      });
      expect(JSON.parse(gunzipSync(bytes).toString())).toBe(long);
    }
    for (const accepted of ['', 'br', 'gzip;q=0', 'gzip;q=0.0, *', 'identity']) {
      const { headers, body } = await send('POST', `${PATH}/long`, '', { 'accept-encoding': accepted });
      expect(headers).not.toHaveProperty('content-encoding');
      expect(JSON.parse(body)).toBe(long);
    }
    const short = await send('POST', `${PATH}/short`, '', { 'accept-encoding': 'gzip' });
    expect(short).toMatchObject({ body: '"short"' });
    expect(short.headers).not.toHaveProperty('content-encoding');
  });

  it('gives repeated headers on as Node reads them, and sends each cookie', async () => {
    routes.set(`${PATH}/headers`, async ({ headers }) => {
      const said = ['authorization', 'content-type', 'x-many'].map((name) => headers.get(name));
      const answered = new Response(JSON.stringify(said));
      answered.headers.append('set-cookie', 'a=1');
      answered.headers.append('set-cookie', 'b=2');
      return answered;
    });
    const { port } = server.address() as AddressInfo;
    const lines = ['Authorization: Bearer a', 'Authorization: Bearer b', 'X-Many: 1', 'X-Many: 2'];
    const head = [
      'Host: x',
      'Connection: close',
      'Content-Length: 0',
      'Content-Type: a/b',
      'Content-Type: c/d',
      ...lines,
    ];
    const socket = connect(port, '127.0.0.1');
    socket.write(`POST ${PATH}/headers HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`);
    const answered = await text(socket);
    expect(answered).toMatch(/set-cookie: a=1\r\nset-cookie: b=2\r\n/i);
    expect(answered).toContain(JSON.stringify(['Bearer a', 'a/b', '1, 2']));
  });

  it('keeps the connection where a body was read in part, and cuts off one that does not end', async () => {
    routes.set(`${PATH}/half`, async (request) => {
      const reader = request.body?.getReader();
      await reader?.read();
      reader?.cancel().catch(() => {});
      return new Response('half', { status: 413 });
    });
    await send('POST', PATH);
    const before = sockets.size;
    expect(await send('POST', `${PATH}/half`, 'x'.repeat(2 * MIB))).toMatchObject({ status: 413, body: 'half' });
    expect(await send('POST', PATH, 'abc')).toMatchObject({ status: 200 });
    expect(sockets.size).toBe(before);
    const { port } = server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1').resume();
    const closed = new Promise((resolve) => socket.on('close', resolve).on('error', () => {}));
    socket.write(`POST ${PATH}/half HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nx`);
    await closed;
  }, 30_000);

  it('answers 500 for a route that throws, and goes on', async () => {
    expect(await send('POST', PATH, '', { 'x-throws': '1' })).toMatchObject({ status: 500, body: '' });
    expect(await send('POST', PATH, 'abc')).toMatchObject({ status: 200 });
  });
});
