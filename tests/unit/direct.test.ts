import { Agent, request as ask, createServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareRequests } from '#server/http/arrival.ts';
import { readJson } from '#server/http/body.ts';
import { answerDirectly, serveDirectRoutes } from '#server/http/direct.ts';

const PATH = '/direct/results';
const MIB = 1024 * 1024;

type Answer = { status: number; headers: IncomingHttpHeaders; body: string };

describe('a server that answers some routes without Next', () => {
  const server = createServer((request, response) => response.end(`Next has ${request.method} ${request.url}`));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const sockets = new Set<unknown>();

  beforeAll(async () => {
    server.keepAliveTimeout = 600_000;
    prepareRequests();
    serveDirectRoutes();
    server.on('connection', (socket) => sockets.add(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    answerDirectly('POST', PATH, async (request) => {
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
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: await text(response) });
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
    ['GET', PATH],
    ['POST', `${PATH}/`],
    ['POST', `/x${PATH}`],
    ['POST', `${PATH.replace('results', 'res%75lts')}`],
  ])('leaves all else to Next: %s %s', async (method, path) => {
    expect(await send(method, path)).toMatchObject({ status: 200, body: `Next has ${method} ${path}` });
  });

  it('keeps the connection where a route answers before it has read the body', async () => {
    await send('POST', PATH);
    const before = sockets.size;
    const unread = await send('POST', PATH, 'x'.repeat(2 * MIB), { 'x-unread': '1' });
    expect(unread).toMatchObject({ status: 413, body: 'unread' });
    expect(await send('POST', PATH, 'abc')).toMatchObject({ status: 200 });
    expect(sockets.size).toBe(before);
  });

  it('says of a body that breaks off that its sender is gone, which is no fault of ours', async () => {
    const failed = Promise.withResolvers<unknown>();
    answerDirectly('POST', `${PATH}/broken`, async (request) => {
      await readJson(request).catch(failed.resolve);
      return new Response('nobody reads this');
    });
    const { port } = server.address() as AddressInfo;
    const head = ['Host: x', 'Content-Type: application/json', 'Content-Length: 100'].join('\r\n');
    const socket = connect(port, '127.0.0.1');
    socket.write(`POST ${PATH}/broken HTTP/1.1\r\n${head}\r\n\r\nhalf`, () => socket.destroy());
    expect(await failed.promise).toMatchObject({ code: 'unavailable' });
    expect(await send('POST', PATH, 'abc')).toMatchObject({ status: 200 });
  });

  it('answers 500 for a route that throws, and goes on', async () => {
    expect(await send('POST', PATH, '', { 'x-throws': '1' })).toMatchObject({ status: 500, body: '' });
    expect(await send('POST', PATH, 'abc')).toMatchObject({ status: 200 });
  });
});
