import { once } from 'node:events';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTlsServer } from 'node:tls';
import { beforeAll, describe, expect, it } from 'vitest';
import { MAX_BODY_BYTES } from '#probe/http/exchange.ts';
import { type Authority, createAuthority, issue } from '../support/pki.ts';
import { forThisTest, listen, probe } from '../support/probing.ts';

let root: Authority;

beforeAll(async () => {
  root = await createAuthority({ name: 'Failure root', key: 'ec' });
});

async function httpsServer(answer: Parameters<typeof createHttpsServer>[1]) {
  const identity = await issue(root, { names: ['localhost'] });
  return forThisTest(listen(createHttpsServer({ key: identity.keyPem, cert: identity.chainPem }, answer)));
}

/** Answers a request over TLS with these very bytes, then ends in order (with a close_notify) or just closes TCP. */
async function saying(bytes: string | Buffer, { orderly = true, protocol = 'http/1.1' } = {}) {
  const identity = await issue(root, { names: ['localhost'] });
  const options = { key: identity.keyPem, cert: identity.chainPem, ALPNProtocols: [protocol] };
  const server = createTlsServer(options, async (socket) => {
    socket.on('error', () => {});
    await once(socket, 'data');
    if (orderly) socket.end(bytes);
    else socket.write(bytes, () => setImmediate(() => socket.destroy()));
  });
  return forThisTest(listen(server));
}

const settings = () => ({ caPem: root.certPem });

describe('servers that answer badly', () => {
  it('gives up on a body that never ends in time, with the first byte measured', async () => {
    const server = await httpsServer((_, response) => response.writeHead(200).write('x'));
    const { result } = await probe(server.url, { settings: settings(), timeoutMs: 500 });
    expect(result.failure).toMatchObject({ phase: 'download', reason: 'http_timeout' });
    expect(result.phases).toMatchObject({ firstByte: expect.any(Number), download: null });
  });

  it('cuts a body without end at its limit and calls that done', async () => {
    const server = await httpsServer((_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      };
      response.on('drain', more);
      more();
    });
    const { result } = await probe(server.url, { settings: settings() });
    expect(result.ok).toBe(true);
    expect(result.http?.bytes).toBeGreaterThanOrEqual(MAX_BODY_BYTES);
    expect(result.http?.bytes).toBeLessThan(MAX_BODY_BYTES + 65_536);
  });

  it('names a header block that is too large', async () => {
    const server = await httpsServer((_, response) => response.setHeader('x', 'y'.repeat(100_000)).end());
    const { result } = await probe(server.url, { settings: settings() });
    expect(result.failure).toMatchObject({ phase: 'firstByte', reason: 'http_too_large' });
  });

  it('names a connection closed before and within the answer', async () => {
    const before = await httpsServer((request) => request.socket.destroy());
    const early = await probe(before.url, { settings: settings() });
    expect(early.result.failure).toMatchObject({ phase: 'firstByte', reason: 'http_closed' });
    const within = await httpsServer((request, response) => {
      response.writeHead(200, { 'content-length': 10 }).write('half', () => request.socket.destroy());
    });
    const late = await probe(within.url, { settings: settings() });
    expect(late.result.failure).toMatchObject({ phase: 'download', reason: 'http_closed' });
  });

  it.each([
    ['bytes that are no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'firstByte', 'http_protocol'],
    ['an answer of HTTP/0.9', 'hello', 'firstByte', 'http_protocol'],
    ['a status below 100', 'HTTP/1.1 000 X\r\ncontent-length: 0\r\n\r\n', 'firstByte', 'http_protocol'],
    [
      'a change of protocols',
      'HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      'firstByte',
      'http_protocol',
    ],
    ['a final 101', 'HTTP/1.1 101 X\r\n\r\n', 'firstByte', 'http_protocol'],
    ['half a head', 'HTTP/1.1 200 OK\r\nser', 'firstByte', 'http_closed'],
    ['no answer', '', 'firstByte', 'http_closed'],
    [
      'two lengths',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nhi',
      'firstByte',
      'http_protocol',
    ],
    ['a bad chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nZ\r\n', 'download', 'http_protocol'],
    [
      'a body without its last chunk',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n',
      'download',
      'http_closed',
    ],
    ['a body shorter than its length', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhi', 'download', 'http_closed'],
  ])('names %s', async (_, bytes, phase, reason) => {
    const server = await saying(bytes);
    const { result } = await probe(server.url, { settings: settings() });
    expect(result.failure).toMatchObject({ phase, reason, source: 'target' });
  });

  it.each([
    ['garbage', Buffer.alloc(200, 0xa5), 'http_protocol'],
    ['HTTP/1.1', Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), 'http_protocol'],
    ['nothing', Buffer.alloc(0), 'http_closed'],
  ])('names a server that agrees on h2 and speaks %s', async (_, bytes, reason) => {
    const server = await saying(bytes, { protocol: 'h2' });
    const { result } = await probe(server.url, { settings: settings() });
    expect(result.failure).toMatchObject({ phase: 'firstByte', reason, source: 'target' });
  });

  it('takes the end of TLS for the end of a body without a length, and the end of TCP for a cut', async () => {
    const whole = await saying('HTTP/1.0 200 OK\r\n\r\nhello');
    const ended = await probe(whole.url, { settings: settings() });
    expect(ended.result).toMatchObject({ ok: true, http: { version: '1.0', bytes: 5 } });
    const cut = await saying('HTTP/1.0 200 OK\r\n\r\nhello', { orderly: false });
    const { result } = await probe(cut.url, { settings: settings() });
    expect(result.failure).toMatchObject({ phase: 'download', reason: 'http_closed' });
    expect(result.failure?.message).toContain('close_notify');
  });
});
