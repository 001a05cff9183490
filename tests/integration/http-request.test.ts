import { constants, createSecureServer, type ServerHttp2Stream } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProbeRequestSettings, type ProbeSettings } from '#contract/target.ts';
import { FLAG, FRAME, frame } from '#probe/http/http2/frames.ts';
import { type Authority, createAuthority, type Issued, issue } from '../support/pki.ts';
import { type Listening, listen, probe } from '../support/probing.ts';

let root: Authority;
let leaf: Issued;
let http2: Listening;
let http1: Listening;
const opened: Listening[] = [];
const PROTOCOLS = ['h2', 'http/1.1'] as const;

/** What the server was asked last. */
let asked: { method: string; path: string; headers: Record<string, unknown>; body: string };

beforeAll(async () => {
  root = await createAuthority({ name: 'Request root', key: 'ec' });
  leaf = await issue(root, { names: ['localhost'], key: 'ec' });
  const identity = { key: leaf.keyPem, cert: leaf.chainPem };
  const secure = createSecureServer({ ...identity, paddingStrategy: constants.PADDING_STRATEGY_MAX });
  secure.on('stream', (stream, headers) => void answerStream(stream, headers));
  http2 = await listen(secure);
  http1 = await listen(
    createHttpsServer(identity, async (request, response) => {
      const { method = '', url = '' } = request;
      asked = { method, path: url, headers: { ...request.headers }, body: await text(request) };
      const to = request.headers['x-redirect'];
      if (to !== undefined) {
        response.writeHead(302, { location: String(to) }).end();
        return;
      }
      response.writeHead(200, { location: Buffer.from('/登录').toString('latin1') }).end(`${method} ${url} 你好`);
    }),
  );
  opened.push(http2, http1);
});

afterAll(async () => {
  for (const server of opened) await server.close();
});

async function answerStream(stream: ServerHttp2Stream, headers: Record<string, unknown>): Promise<void> {
  stream.on('error', () => {});
  const [method, path] = [String(headers[':method']), String(headers[':path'])];
  asked = { method, path, headers, body: await text(stream) };
  if (stream.destroyed) return;
  if (headers['x-redirect'] !== undefined) {
    stream.respond({ ':status': 302, location: String(headers['x-redirect']) }, { endStream: true });
    return;
  }
  stream.additionalHeaders({ ':status': 103, link: '</a.css>' });
  stream.respond({ ':status': 200, server: 'é'.repeat(10), 'x-long': 'y'.repeat(20_000) }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ checksum: 'abc' }));
  stream.end(`${method} ${path} 你好`);
}

const urlOf = (protocol: string) => (protocol === 'h2' ? http2.url : http1.url);
const settingsOf = (settings: object): Partial<ProbeSettings> => ({ caPem: root.certPem, ...settings });
const probed = async (url: string, settings: object) => (await probe(url, { settings: settingsOf(settings) })).result;

describe.each(PROTOCOLS)('a request over %s', (protocol) => {
  it('is a GET that says who asks, for path and query', async () => {
    const result = await probed(`${urlOf(protocol)}a/b?c=d`, {});
    expect(result).toMatchObject({ ok: true, http: { status: 200, bytes: Buffer.byteLength('GET /a/b?c=d 你好') } });
    expect(asked).toMatchObject({ method: 'GET', path: '/a/b?c=d', body: '' });
    expect(asked.headers).toMatchObject({ accept: '*/*', 'user-agent': expect.stringMatching(/^roundtrip\/\d+$/) });
    expect(asked.headers['content-length']).toBeUndefined();
  });

  it('has the method, headers and body of the settings', async () => {
    const headers = [
      { name: 'User-Agent', value: 'mine' },
      { name: 'X-Twice', value: 'a' },
      { name: 'x-twice', value: 'b' },
      { name: 'Authorization', value: 'Bearer s3cret' },
    ];
    const body = '首'.repeat(16_384);
    const result = await probed(urlOf(protocol), { request: { method: 'POST', headers, body } });
    expect(result.failure).toBeNull();
    expect(asked).toMatchObject({ method: 'POST', body });
    expect(asked.headers).toMatchObject({
      'user-agent': 'mine',
      accept: '*/*',
      'x-twice': 'a, b',
      authorization: 'Bearer s3cret',
      'content-length': String(16_384 * 3),
    });
  });

  it('has values of headers as UTF-8', async () => {
    const value = '张三 é €';
    const request = ProbeRequestSettings.parse({ headers: [{ name: 'X-Name', value }] });
    expect(await probed(urlOf(protocol), { request })).toMatchObject({ ok: true });
    expect(Buffer.from(String(asked.headers['x-name']), 'latin1').toString()).toBe(value);
  });

  it.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS'])('may be a %s', async (method) => {
    expect(await probed(urlOf(protocol), { request: { method } })).toMatchObject({ ok: true });
    expect(asked.method).toBe(method);
  });

  it('may be a HEAD, whose answer has no body', async () => {
    const result = await probed(urlOf(protocol), { request: { method: 'HEAD' } });
    expect(result).toMatchObject({ ok: true, http: { status: 200, bytes: 0 } });
    expect(result.phases.download).not.toBeNull();
  });

  it('fails for an answer that is not as expected, with all phases measured', async () => {
    const status = await probed(urlOf(protocol), { expect: { status: ['201-204', '3xx'] } });
    expect(status.failure).toMatchObject({ phase: 'firstByte', reason: 'http_status' });
    const body = await probed(urlOf(protocol), { expect: { bodyContains: '再见' } });
    expect(body.failure).toMatchObject({ phase: 'download', reason: 'http_body_mismatch', source: 'target' });
    expect(body.failure?.message).toContain('再见');
    const lacks = await probed(urlOf(protocol), { expect: { bodyLacks: '你好' } });
    expect(lacks.failure?.message).toBe('the body holds "你好"');
    for (const { phases, http } of [status, body, lacks]) {
      expect([phases.tls, phases.firstByte, phases.download].every(Number.isFinite)).toBe(true);
      expect(http?.status).toBe(200);
    }
  });

  it('is not expected of a redirect that is followed, but of one that is not', async () => {
    const request = { headers: [{ name: 'x-redirect', value: '/next' }] };
    const expectation = { status: ['200'], bodyContains: 'next' };
    const followed = await probed(urlOf(protocol), { request, expect: expectation, redirects: 1 });
    expect(followed).toMatchObject({ ok: true, http: { status: 302, location: '/next' } });
    expect(asked.path).toBe('/');
    const alone = await probed(urlOf(protocol), { request, expect: expectation });
    expect(alone.failure?.reason).toBe('http_status');
    const nowhere = { headers: [{ name: 'x-redirect', value: 'http://plain.example/' }] };
    const plain = await probed(urlOf(protocol), { request: nowhere, expect: expectation, redirects: 1 });
    expect(plain).toMatchObject({ failure: { reason: 'http_status' }, http: { location: 'http://plain.example/' } });
  });

  it('goes well for one that is', async () => {
    const expectation = { status: ['200'], bodyContains: '你好', bodyLacks: '再见' };
    expect(await probed(urlOf(protocol), { expect: expectation })).toMatchObject({ ok: true, failure: null });
  });
});

describe('what the answer shows', () => {
  it('is text, whatever bytes it came in', async () => {
    expect((await probed(http2.url, {})).http?.server).toBe('é'.repeat(10));
    expect((await probed(http1.url, {})).http?.location).toBe('/登录');
  });

  /** A TLS server that does as told once its side of the handshake is over. */
  async function tlsServer(protocol: string, act: (socket: TLSSocket) => void): Promise<Listening> {
    const server = createTlsServer({ key: leaf.keyPem, cert: leaf.chainPem, ALPNProtocols: [protocol] }, (socket) => {
      socket.on('error', () => {});
      act(socket);
    });
    const listening = await listen(server);
    opened.push(listening);
    return listening;
  }

  const HEAD = frame(FRAME.headers, FLAG.endHeaders, 1, Buffer.from([0x88]));
  const BODY = frame(FRAME.data, FLAG.endStream, 1, Buffer.alloc(5_000));
  const SETTINGS = frame(FRAME.settings, 0, 0, new Uint8Array());
  /** A record of TLS 1.3 has 5 bytes of header, 1 of type and 16 of authentication around its clear text. */
  const AROUND = 22;

  /** Passes on what a server says, in the pieces and at the times that `pass` chooses. */
  async function behind(server: Listening, pass: (client: Socket) => (chunk: Buffer) => void): Promise<Listening> {
    const line = createTcpServer((client) => {
      const upstream = connect(server.port, '127.0.0.1').on('error', () => {});
      client.pipe(upstream);
      upstream.on('data', pass(client));
      client.once('close', () => upstream.destroy());
    });
    const listening = await listen(line);
    opened.push(listening);
    return listening;
  }

  it('begins with the record of its head, not with greetings in front of it', async () => {
    const server = await tlsServer('h2', (socket) => {
      socket.once('data', () => {
        socket.write(SETTINGS, () => socket.write(HEAD, () => socket.write(BODY)));
      });
    });
    // All of it arrives at once: the records alone tell where the answer begins.
    const gathering = await behind(server, (client) => {
      let gathered: Buffer[] = [];
      return (chunk) => {
        gathered.push(chunk);
        if (gathered.length > 1) return;
        setTimeout(() => {
          client.write(Buffer.concat(gathered));
          gathered = [];
        }, 80);
      };
    });
    for (const [tlsVersion, around] of [
      ['1.3', AROUND],
      ['1.2', 29],
    ] as const) {
      const { http, phases } = await probed(gathering.url, { tlsVersion });
      expect(http).toMatchObject({ firstRecordBytes: HEAD.length + around, maxRecordBytes: BODY.length + around });
      expect(http?.records).toBe(2);
      expect(http?.firstPacketMs).toBeGreaterThan(20);
      expect(http?.firstUsableMs).toBe(phases.firstByte);
    }
  });

  it('is not the greeting that came before it', async () => {
    const server = await tlsServer('h2', (socket) => {
      socket.write(SETTINGS);
      socket.once('data', () => setTimeout(() => socket.write(Buffer.concat([HEAD, BODY])), 60));
    });
    const { http } = await probed(server.url, { tlsVersion: '1.3' });
    expect(http?.firstPacketMs).toBeGreaterThan(50);
    expect(http).toMatchObject({ firstRecordBytes: HEAD.length + BODY.length + AROUND, records: 1 });
  });

  it('tells the first packet from the first byte that can be read', async () => {
    const origin = await tlsServer('http/1.1', (socket) => {
      socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 12000\r\n\r\n${'x'.repeat(12_000)}`));
    });
    const held = await behind(origin, (client) => (chunk) => {
      // The answer's record is the only large one: its second half waits.
      if (chunk.length < 10_000) {
        client.write(chunk);
        return;
      }
      client.write(chunk.subarray(0, 6_000));
      setTimeout(() => client.write(chunk.subarray(6_000)), 80);
    });
    const { http, phases } = await probed(held.url, {});
    expect(http?.firstRecordBytes).toBeGreaterThan(12_000);
    expect(Number(http?.firstUsableMs) - Number(http?.firstPacketMs)).toBeGreaterThan(60);
    expect(http?.firstUsableMs).toBe(phases.firstByte);
  });

  it('counts from the final answer, not from an interim one', async () => {
    const server = await tlsServer('http/1.1', (socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n');
        setTimeout(() => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi'), 80);
      });
    });
    const { phases, http } = await probed(server.url, {});
    expect(phases.firstByte).toBeGreaterThan(70);
    expect(http?.firstPacketMs).toBeGreaterThan(70);
  });

  it('ends the download with the last byte, not with the connection', async () => {
    const server = await tlsServer('http/1.1', (socket) => {
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi'));
    });
    const { phases } = await probed(server.url, {});
    expect(phases.download).toBe(0);
  });

  it('comes although the server waits for our acknowledgement of its settings', async () => {
    const server = await tlsServer('h2', (socket) => {
      socket.write(SETTINGS);
      let seen = Buffer.alloc(0);
      const ack = frame(FRAME.settings, FLAG.ack, 0, new Uint8Array());
      socket.on('data', (chunk: Buffer) => {
        seen = Buffer.concat([seen, chunk]);
        if (seen.includes(ack)) socket.write(Buffer.concat([HEAD, BODY]));
      });
    });
    expect(await probed(server.url, {})).toMatchObject({ ok: true, http: { bytes: 5_000 } });
  });

  it('leaves no timer and no connection behind', async () => {
    await probed(http2.url, {});
    await expect.poll(() => http2.open.size).toBe(0);
  });
});

describe('a request that a server of HTTP/2 wants by HTTP/1.1', () => {
  /** Refuses every stream; what it is asked by HTTP/1.1 it answers. */
  async function refusing(): Promise<Listening & { streams: () => number }> {
    let streams = 0;
    const server = createSecureServer(
      { key: leaf.keyPem, cert: leaf.chainPem, allowHTTP1: true },
      (request, response) => {
        if (request.httpVersion === '1.1') response.end('by HTTP/1.1');
      },
    );
    server.on('stream', (stream) => {
      streams += 1;
      stream.on('error', () => {});
      stream.close(constants.NGHTTP2_HTTP_1_1_REQUIRED);
    });
    const listening = await listen(server);
    opened.push(listening);
    return { ...listening, streams: () => streams };
  }

  it('is asked again by it on a new connection, which is said', async () => {
    const server = await refusing();
    const result = await probed(server.url, {});
    expect(result).toMatchObject({
      ok: true,
      tls: { alpn: 'http/1.1' },
      http: { version: '1.1', status: 200, bytes: 11 },
    });
    expect(server.streams()).toBe(1);
    const finding = result.findings.find(({ code }) => code === 'http1_required');
    expect(finding?.values?.lostMs).toBeGreaterThan(0);
    expect(finding?.evidence).toContain('HTTP_1_1_REQUIRED');
  });

  it('fails where HTTP/1.1 is not to be spoken, and says what the server wants', async () => {
    const server = await refusing();
    const result = await probed(server.url, { alpn: ['h2'] });
    expect(result.failure).toMatchObject({ phase: 'firstByte', reason: 'http_protocol' });
    expect(result.failure?.message).toContain('HTTP_1_1_REQUIRED');
    expect(result.findings.map(({ code }) => code)).not.toContain('http1_required');
  });
});
