import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MAX_BODY_BYTES } from '#probe/http.ts';
import { type Authority, createAuthority, type IssueOptions, issue } from '../support/pki.ts';
import { type Listening, listen, probe, rawServer } from '../support/probing.ts';

const DAY_MS = 86_400_000;
let root: Authority;
let intermediate: Authority;
const servers: Listening[] = [];

beforeAll(async () => {
  root = await createAuthority({ name: 'Failure root', key: 'ec' });
  intermediate = await createAuthority({ name: 'Failure intermediate', key: 'ec', parent: root });
});

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function kept(server: Promise<Listening>): Promise<Listening> {
  servers.push(await server);
  return server;
}

/** A TLS server with a leaf of the authority; by default it sends the whole chain but the root. */
async function tlsServer(authority: Authority | null, leaf: Partial<IssueOptions>, options: TlsOptions = {}) {
  const identity = await issue(authority, { names: ['localhost'], ...leaf });
  const server = createTlsServer({ key: identity.keyPem, cert: identity.chainPem, ...options });
  server.on('tlsClientError', () => {});
  server.on('secureConnection', (socket) => socket.on('error', () => {}));
  return kept(listen(server));
}

const trusted = () => ({ caPem: root.certPem, http: false });

describe('certificates that a client must refuse', () => {
  it('names an expired one and still shows it', async () => {
    const notAfter = new Date(Date.now() - DAY_MS);
    const server = await tlsServer(intermediate, { notBefore: new Date(Date.now() - 9 * DAY_MS), notAfter });
    const { result } = await probe(server.url, { settings: trusted() });
    expect(result.failure).toMatchObject({ phase: 'tls', reason: 'cert_expired', source: 'target' });
    expect(result.tls?.certificate).toMatchObject({ verified: false });
    expect(result.phases).toMatchObject({ tls: expect.any(Number), firstByte: null, download: null });
  });

  it('names one of tomorrow', async () => {
    const server = await tlsServer(intermediate, { notBefore: new Date(Date.now() + DAY_MS) });
    const { result } = await probe(server.url, { settings: trusted() });
    expect(result.failure?.reason).toBe('cert_not_yet_valid');
  });

  it('names one for another host', async () => {
    const server = await tlsServer(intermediate, { names: ['other.example'] });
    const { result } = await probe(server.url, { settings: trusted() });
    expect(result.failure?.reason).toBe('cert_name_mismatch');
  });

  it('names one that signed itself', async () => {
    const server = await tlsServer(null, {});
    expect((await probe(server.url)).result.failure?.reason).toBe('cert_self_signed');
  });

  it('names a chain that ends in a stranger', async () => {
    const server = await tlsServer(intermediate, {});
    expect((await probe(server.url)).result.failure?.reason).toBe('cert_untrusted');
  });

  it('names a chain whose intermediate was left out', async () => {
    const identity = await issue(intermediate, { names: ['localhost'] });
    const server = await kept(listen(createTlsServer({ key: identity.keyPem, cert: identity.certPem })));
    const { result } = await probe(server.url, { settings: trusted() });
    expect(result.failure?.reason).toBe('cert_incomplete_chain');
  });

  it('goes on after each of them where verification is off, and keeps the reason', async () => {
    const server = await tlsServer(intermediate, { names: ['other.example'] });
    const { result } = await probe(server.url, { settings: { ...trusted(), verify: false } });
    expect(result).toMatchObject({ ok: true, tls: { certificate: { verified: false } } });
    expect(result.tls?.certificate?.verifyError).toContain('other.example');
  });
});

describe('servers that do not shake hands', () => {
  it('names a refused port', async () => {
    const server = await rawServer(() => {});
    await server.close();
    const { result } = await probe(server.url);
    expect(result.failure).toMatchObject({ phase: 'tcp', reason: 'tcp_refused', source: 'target' });
    expect(result.phases).toMatchObject({ tcp: null, tls: null });
    expect(result.tls).toBeNull();
  });

  it('gives up on silence after the connect, and closes', async () => {
    const server = await kept(rawServer((socket) => socket.resume()));
    const { result } = await probe(server.url, { timeoutMs: 300 });
    expect(result.failure).toMatchObject({ phase: 'tls', reason: 'tls_timeout', source: 'target' });
    expect(result.phases).toMatchObject({ tcp: expect.any(Number), tls: null });
    await expect.poll(() => server.open.size).toBe(0);
  });

  it('tells a reset from an orderly end', async () => {
    const resetting = await kept(rawServer((socket) => socket.once('data', () => socket.resetAndDestroy())));
    expect((await probe(resetting.url)).result.failure?.reason).toBe('tls_reset');
    const ending = await kept(rawServer((socket) => socket.once('data', () => socket.end())));
    expect((await probe(ending.url)).result.failure?.reason).toBe('tls_closed');
  });

  it('recognises plain HTTP', async () => {
    const server = await kept(listen(createHttpServer()));
    const { result } = await probe(server.url);
    expect(result.failure).toMatchObject({ phase: 'tls', reason: 'tls_not_tls' });
    expect(result.failure?.message).toContain('HTTP/');
  });

  it('recognises a server of another version', async () => {
    const server = await tlsServer(intermediate, {}, { maxVersion: 'TLSv1.2' });
    const { result } = await probe(server.url, { settings: { ...trusted(), tlsVersion: '1.3' } });
    expect(result.failure?.reason).toBe('tls_version');
  });

  it('recognises a server that demands a client certificate, which TLS 1.3 says only after the handshake', async () => {
    const server = await tlsServer(intermediate, {}, { requestCert: true, rejectUnauthorized: true });
    const { result } = await probe(server.url, { settings: { caPem: root.certPem, alpn: ['http/1.1'] } });
    expect(result.failure).toMatchObject({ phase: 'tls', reason: 'tls_client_certificate_required', source: 'target' });
  });

  it('tells an alert of the server from a mere close', async () => {
    const alert = Buffer.from([21, 3, 3, 0, 2, 2, 80]);
    const server = await kept(rawServer((socket) => socket.once('data', () => socket.end(alert))));
    const { result } = await probe(server.url);
    expect(result.failure).toMatchObject({ phase: 'tls', reason: 'tls_alert' });
    expect(result.failure?.message).toContain('internal_error');
  });

  it('bounds a handshake without end in bytes', async () => {
    const record = Buffer.concat([Buffer.from([22, 3, 3, 0x40, 0]), Buffer.alloc(16_384, 0xff)]);
    const server = await kept(
      rawServer((socket) => {
        const more = () => {
          while (!socket.destroyed && socket.write(record));
        };
        socket.on('drain', more);
        socket.once('data', more);
      }),
    );
    const { result } = await probe(server.url);
    expect(result.ok).toBe(false);
    expect(result.tls?.handshake.bytesIn).toBeLessThan(1_000_000);
    await expect.poll(() => server.open.size).toBe(0);
  });

  it('refuses addresses that are not public where it must', async () => {
    const server = await kept(rawServer(() => {}));
    const { result } = await probe(server.url, { allowPrivate: false });
    expect(result.failure).toMatchObject({ phase: 'tcp', reason: 'address_not_allowed', source: 'target' });
    expect(server.open.size).toBe(0);
  });
});

describe('servers that flood', () => {
  const FRAME = { settings: [0, 0, 0, 4, 0, 0, 0, 0, 0], ping: [0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8] };

  /** Answers an HTTP/2 client with the bytes over and over, for as long as it takes them. */
  async function flooding(first: Buffer, again: Buffer, protocol: string) {
    const identity = await issue(intermediate, { names: ['localhost'] });
    const server = createTlsServer({ key: identity.keyPem, cert: identity.chainPem, ALPNProtocols: [protocol] });
    server.on('secureConnection', (socket) => {
      const more = () => {
        while (!socket.destroyed && socket.write(again));
      };
      socket.on('error', () => {});
      socket.on('drain', more);
      socket.once('data', () => socket.write(first, more));
    });
    return kept(listen(server));
  }

  it.each([
    ['pings', Buffer.from(FRAME.ping)],
    ['settings', Buffer.from(FRAME.settings)],
  ])('HTTP/2 %s are bounded in bytes and time', async (_, frame) => {
    const again = Buffer.concat(Array.from({ length: 500 }, () => frame));
    const server = await flooding(Buffer.from(FRAME.settings), again, 'h2');
    const { result } = await probe(server.url, { settings: { caPem: root.certPem }, timeoutMs: 4_000 });
    expect(result).toMatchObject({ ok: false, failure: { phase: 'firstByte', source: 'target' } });
    await expect.poll(() => server.open.size).toBe(0);
  });

  it('informational answers of HTTP/1.1 are bounded too', async () => {
    const early = Buffer.from('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(200));
    const server = await flooding(early, early, 'http/1.1');
    const { result } = await probe(server.url, { settings: { caPem: root.certPem }, timeoutMs: 4_000 });
    expect(result).toMatchObject({ ok: false, failure: { phase: 'firstByte', reason: 'http_too_large' } });
    await expect.poll(() => server.open.size).toBe(0);
  });
});

describe('servers that answer badly', () => {
  async function httpsServer(answer: Parameters<typeof createHttpsServer>[1]) {
    const identity = await issue(intermediate, { names: ['localhost'] });
    return kept(listen(createHttpsServer({ key: identity.keyPem, cert: identity.chainPem }, answer)));
  }
  const settings = () => ({ caPem: root.certPem });

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

  /** Answers a request over TLS with these very bytes, then ends in order (with a close_notify) or just closes TCP. */
  async function saying(bytes: string | Buffer, { orderly = true, protocol = 'http/1.1' } = {}) {
    const identity = await issue(intermediate, { names: ['localhost'] });
    const options = { key: identity.keyPem, cert: identity.chainPem, ALPNProtocols: [protocol] };
    const server = createTlsServer(options, async (socket) => {
      socket.on('error', () => {});
      await once(socket, 'data');
      if (orderly) socket.end(bytes);
      else socket.write(bytes, () => setImmediate(() => socket.destroy()));
    });
    return kept(listen(server));
  }

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
