import type { ServerResponse } from 'node:http';
import { createSecureServer, type ServerHttp2Stream } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Result } from '#contract/result.ts';
import type { ProbeSettings } from '#contract/target.ts';
import { realEnvironment } from '#probe/environment.ts';
import { FLAG, FRAME, frame } from '#probe/http/http2/frames.ts';
import { measureSequence } from '#probe/sequence.ts';
import { type Authority, createAuthority, type Issued, issue } from '../support/pki.ts';
import { type Listening, listen, requestFor } from '../support/probing.ts';

const environment = realEnvironment();
const PREFACE_BYTES = 24;
const BODY = 'x'.repeat(40_000);
let root: Authority;
let identity: { key: string; cert: string };
const servers: Listening[] = [];

beforeAll(async () => {
  root = await createAuthority({ name: 'Reuse root', key: 'ec' });
  const leaf: Issued = await issue(root, { names: ['localhost'], key: 'ec' });
  identity = { key: leaf.keyPem, cert: leaf.chainPem };
});
afterAll(async () => {
  for (const server of servers) await server.close();
});

async function serve(server: Parameters<typeof listen>[0]): Promise<Listening & { accepted: () => number }> {
  let accepted = 0;
  server.on('connection', () => {
    accepted += 1;
  });
  const listening = await listen(server);
  servers.push(listening);
  return { ...listening, accepted: () => accepted };
}

const http1 = (answer: (response: ServerResponse) => void) =>
  serve(createHttpsServer(identity, (_, response) => answer(response)));
const head = (stream: number) => frame(FRAME.headers, FLAG.endHeaders, stream, Buffer.from([0x88])); // status 200
const body = (stream: number, flags: number) => frame(FRAME.data, flags, stream, Buffer.from('hi'));
const reset = (stream: number) => frame(FRAME.rstStream, 0, stream, Buffer.alloc(4)); // NO_ERROR

/** A server of HTTP/2 that answers the request on each stream with these frames. */
const rawHttp2 = (answer: (stream: number) => Buffer[]) =>
  serve(
    createTlsServer({ ...identity, ALPNProtocols: ['h2'] }, (socket) => {
      socket.on('error', () => {});
      socket.write(frame(FRAME.settings, 0, 0, new Uint8Array()));
      let unread = Buffer.alloc(0);
      let greeted = false;
      socket.on('data', (chunk) => {
        unread = Buffer.concat([unread, chunk]);
        if (!greeted && unread.length >= PREFACE_BYTES) {
          unread = unread.subarray(PREFACE_BYTES);
          greeted = true;
        }
        while (greeted && unread.length >= 9 && unread.length >= 9 + unread.readUIntBE(0, 3)) {
          if (unread[3] === FRAME.headers) socket.write(Buffer.concat(answer(unread.readUInt32BE(5))));
          unread = unread.subarray(9 + unread.readUIntBE(0, 3));
        }
      });
    }),
  );
const http2 = (answer: (stream: ServerHttp2Stream, nth: number) => void) => {
  let nth = 0;
  const server = createSecureServer(identity);
  server.on('stream', (stream) => {
    stream.on('error', () => {});
    answer(stream, nth++);
  });
  return serve(server);
};

async function run(url: string, settings: Partial<ProbeSettings>): Promise<Result[]> {
  const results: Result[] = [];
  const request = requestFor(url, { settings: { caPem: root.certPem, ...settings } });
  await measureSequence(request, environment, (result) => results.push(Result.parse(result)));
  return results;
}

describe('a second request', () => {
  const kept = { ok: true, variant: 'reuse', phases: { dns: null, tcp: 0, tls: 0 } };

  it.each(['http/1.1', 'h2'] as const)('goes over the same connection, where the server keeps it: %s', async (alpn) => {
    const server =
      alpn === 'h2' ? await http2((stream) => stream.end(BODY)) : await http1((response) => response.end(BODY));
    const [main, reuse, ...others] = await run(server.url, { reuse: true, alpn: [alpn] });
    expect(main).toMatchObject({ ok: true, variant: 'main', http: { keepAlive: true, bytes: BODY.length } });
    expect(reuse).toMatchObject({ ...kept, mainId: main?.id, http: { status: 200, bytes: BODY.length } });
    expect(reuse?.roundTrips).toMatchObject({ tls: { took: 0, expected: 0 }, firstByte: { took: expect.any(Number) } });
    for (const phase of ['firstByte', 'firstBody', 'download', 'total'] as const) {
      expect(reuse?.phases[phase], phase).toBeGreaterThanOrEqual(0);
    }
    expect(reuse?.tls).toMatchObject({
      version: 'TLSv1.3',
      certificate: null,
      handshake: { bytesIn: 0, roundTrips: 0 },
    });
    expect(others).toEqual([]);
    expect(server.accepted()).toBe(1);
    await expect.poll(() => server.open.size).toBe(0);
  });

  it('goes over the same connection where the server resets a stream once its answer is whole', async () => {
    const server = await rawHttp2((id) => [head(id), body(id, FLAG.endStream), reset(id)]);
    const [main, reuse, ...others] = await run(server.url, { reuse: true, alpn: ['h2'] });
    expect(main).toMatchObject({ ok: true, http: { keepAlive: true, bytes: 2 } });
    expect(reuse).toMatchObject({ ...kept, http: { status: 200, bytes: 2 } });
    expect(others).toEqual([]);
    expect(server.accepted()).toBe(1);
  });

  it('is asked on a new connection where the server resets a stream before its answer is whole', async () => {
    const server = await rawHttp2((id) => [head(id), body(id, 0), reset(id)]);
    const [main] = await run(server.url, { reuse: true, alpn: ['h2'] });
    expect(main?.failure).toMatchObject({ phase: 'download', reason: 'http_closed' });
    expect(main?.failure?.message).toContain('NO_ERROR');
  });

  it('has a download of its own: none where its answer breaks off, however the first one ended', async () => {
    const server = await rawHttp2((id) =>
      id === 1 ? [head(id), body(id, FLAG.endStream)] : [head(id), body(id, 0), reset(id)],
    );
    const [main, reuse] = await run(server.url, { reuse: true, alpn: ['h2'] });
    expect(main).toMatchObject({ ok: true, http: { bytes: 2 } });
    expect(reuse).toMatchObject({ variant: 'reuse', ok: false, failure: { phase: 'download', reason: 'http_closed' } });
    expect(reuse?.phases).toMatchObject({ firstByte: expect.any(Number), download: null });
    expect(reuse?.phases.total).toBeGreaterThan(0);
    expect(reuse?.roundTrips?.download).toEqual({ took: null, expected: 0 });
  });

  it('comes before the other followers, and leaves a session that can be resumed', async () => {
    const server = await http2((stream) => stream.end('hi'));
    const results = await run(server.url, { reuse: true, resume: true });
    expect(results.map(({ variant, tls }) => [variant, tls?.resumed])).toEqual([
      ['main', false],
      ['reuse', false],
      ['resumed', true],
    ]);
  });

  it.each([
    [
      'says that it closes',
      (response: ServerResponse) => void response.writeHead(200, { connection: 'close' }).end('hi'),
    ],
    [
      'ends the connection unasked',
      (response: ServerResponse) => void response.end('hi', () => response.socket?.destroy()),
    ],
  ])('takes a new connection where the server %s', async (_, answer) => {
    const server = await http1(answer);
    const [main, reuse] = await run(server.url, { reuse: true, alpn: ['http/1.1'] });
    expect(main).toMatchObject({ ok: true, http: { keepAlive: false } });
    expect(reuse).toMatchObject({ ok: true, variant: 'reuse', mainId: main?.id });
    expect(reuse?.phases.tls).toBeGreaterThan(0);
    expect(server.accepted()).toBe(2);
  });

  it('takes a new connection where an HTTP/2 server goes away', async () => {
    const server = await http2((stream, nth) => {
      if (nth === 0) stream.session?.goaway();
      stream.end('hi');
    });
    const [main, reuse] = await run(server.url, { reuse: true });
    expect(main?.http?.keepAlive).toBe(false);
    expect(reuse).toMatchObject({ ok: true, variant: 'reuse' });
    expect(server.accepted()).toBe(2);
  });

  it('is judged as the first, and fails with what it got', async () => {
    const server = await http2((stream, nth) => {
      stream.respond({ ':status': nth === 0 ? 200 : 503 });
      stream.end('hi');
    });
    const [main, reuse] = await run(server.url, { reuse: true });
    expect(main?.ok).toBe(true);
    expect(reuse).toMatchObject({
      variant: 'reuse',
      ok: false,
      failure: { reason: 'http_status', phase: 'firstByte' },
    });
    expect(server.accepted()).toBe(1);
  });

  it('is not made where nobody wants it, or the first one failed', async () => {
    const server = await http1((response) => response.writeHead(500).end('no'));
    expect(await run(server.url, { alpn: ['http/1.1'] })).toHaveLength(1);
    expect(await run(server.url, { reuse: true, alpn: ['http/1.1'] })).toHaveLength(1);
    expect(await run(server.url, { reuse: true, http: false })).toHaveLength(1);
  });
});

describe('a compressed body', () => {
  it.each(['http/1.1', 'h2'] as const)('is asked for as browsers do, and counted as it came: %s', async (alpn) => {
    const coded = brotliCompressSync(BODY);
    const wanted: unknown[] = [];
    const server = createSecureServer({ ...identity, allowHTTP1: true }, (request, response) => {
      wanted.push(request.headers['accept-encoding']);
      if (!request.headers['accept-encoding']) response.end(BODY);
      else response.writeHead(200, { 'content-encoding': 'br', 'alt-svc': 'h3=":443"' }).end(coded);
    });
    const { url } = await serve(server);
    const [plain] = await run(url, { alpn: [alpn] });
    expect(plain?.http).toMatchObject({ bytes: BODY.length, encoding: null, altSvc: null });
    const [packed] = await run(url, { alpn: [alpn], compression: true });
    expect(packed?.http).toMatchObject({ bytes: coded.length, encoding: 'br', altSvc: 'h3=":443"' });
    expect(wanted).toEqual([undefined, 'br, gzip']);
    const headers = [{ name: 'Accept-Encoding', value: 'identity' }];
    await run(url, { alpn: [alpn], compression: true, request: { method: 'GET', headers, body: null } });
    expect(wanted.at(-1)).toBe('identity');
  });
});

/** Writes each piece in a record of its own, the next one when the one before has left and a moment has passed. */
function inPieces(socket: TLSSocket, pieces: (string | Buffer)[], everyMs: number): void {
  const [piece, ...rest] = pieces;
  if (piece === undefined) return void socket.end();
  socket.write(piece, () => setTimeout(() => inPieces(socket, rest, everyMs), everyMs));
}

describe('the first byte of the body', () => {
  const STEP_MS = 30;
  const HEAD = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n';

  async function answered(pieces: (string | Buffer)[]): Promise<Result> {
    const server = createTlsServer(identity, (socket) => {
      socket.on('error', () => {});
      socket.once('data', () => inPieces(socket, pieces, STEP_MS));
    });
    const [result] = await run((await serve(server)).url, { alpn: ['http/1.1'] });
    return result as Result;
  }

  it('comes with the head where one record holds both', async () => {
    const { ok, phases, marks, http } = await answered([`${HEAD}hello`]);
    expect(ok).toBe(true);
    expect(phases.firstBody).toBe(phases.firstByte);
    expect(marks.firstBody).toBe(marks.starttransfer);
    expect(http?.firstBodyRecordBytes).toBe(http?.firstRecordBytes);
  });

  it('comes with the record that holds it, not with that of the headers', async () => {
    const { phases, http } = await answered([HEAD, 'hel', 'lo']);
    const later = (phases.firstBody ?? 0) - (phases.firstByte ?? 0);
    expect(later).toBeGreaterThan(STEP_MS * 0.9);
    expect(phases.download).toBeGreaterThan(later);
    // A header, the record's type and a tag beside the three bytes.
    expect(http).toMatchObject({ firstBodyRecordBytes: 3 + 5 + 1 + 16, bytes: 5 });
    expect(http?.firstBodyPacketMs).toBe(phases.firstBody);
  });

  it('is none of a chunk size that comes by itself', async () => {
    const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n';
    const { phases, http } = await answered([head, 'hello\r\n0\r\n\r\n']);
    expect((phases.firstBody ?? 0) - (phases.firstByte ?? 0)).toBeGreaterThan(STEP_MS * 0.9);
    expect(http?.bytes).toBe(5);
  });

  it('does not come where there is no body', async () => {
    const { ok, phases, marks, http } = await answered(['HTTP/1.1 204 No Content\r\n\r\n']);
    expect(ok).toBe(true);
    expect([phases.firstBody, marks.firstBody, http?.firstBodyRecordBytes]).toEqual([null, null, null]);
  });

  it('comes behind the headers over HTTP/2', async () => {
    const server = await http2((stream) => {
      stream.respond({ ':status': 200 });
      // A timer counts from the beginning of the loop's turn, which may be long before the headers have left.
      setImmediate(() => setTimeout(() => stream.end(BODY), STEP_MS));
    });
    const [result] = await run(server.url, {});
    const { phases, marks, http } = result as Result;
    expect((phases.firstBody ?? 0) - (phases.firstByte ?? 0)).toBeGreaterThan(STEP_MS * 0.9);
    expect(marks.firstBody).toBeGreaterThan(marks.starttransfer ?? Number.NaN);
    expect(http?.firstBodyRecordBytes).toBeGreaterThan(http?.firstRecordBytes ?? Number.NaN);
  });
});
