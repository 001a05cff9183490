import { createServer as createTlsServer } from 'node:tls';
import fc from 'fast-check';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Result } from '#contract/result.ts';
import { FAILURE_REASONS } from '#contract/vocabulary.ts';
import {
  answering,
  type Cut,
  crumbling,
  cutting,
  flooding,
  message,
  record,
  relaying,
  serverHello,
} from '../support/hostile-tls.ts';
import { type Authority, createAuthority, type Issued, issue } from '../support/pki.ts';
import { type Listening, listen, probe, rawServer } from '../support/probing.ts';

const TIMEOUT_MS = 400;
/** What must not strike where the server ends the connection by itself. */
const PATIENT_MS = 5_000;
/** A busy machine's own delay on top of a time-out. */
const SLACK_MS = 2_500;
/** What a probe may keep of a flood, and what garbage may lie about: far below what the floods send. */
const MAX_GROWTH_BYTES = 48 * 1024 * 1024;

let root: Authority;
let leaf: Issued;
const servers: Listening[] = [];

beforeAll(async () => {
  root = await createAuthority({ name: 'Hostile root', key: 'ec' });
  const intermediate = await createAuthority({ name: 'Hostile intermediate', key: 'ec', parent: root });
  leaf = await issue(intermediate, { names: ['localhost'] });
});

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function kept(server: Promise<Listening>): Promise<Listening> {
  servers.push(await server);
  return server;
}

const inUse = () => {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/** One probe, which must fail by the server's fault, in time, within bounds of memory, and leave no connection open. */
async function suffer(server: Promise<Listening>, settings = {}, timeoutMs = PATIENT_MS): Promise<Result> {
  const { url, open } = await kept(server);
  const before = inUse();
  const { result } = await probe(url, { settings: { caPem: root.certPem, ...settings }, timeoutMs });
  expect(inUse() - before).toBeLessThan(MAX_GROWTH_BYTES);
  expect(result.ok).toBe(false);
  expect(result.failure?.source).toBe('target');
  expect(FAILURE_REASONS).toContain(result.failure?.reason);
  expect(result.phases.total).toBeLessThan(timeoutMs + SLACK_MS);
  expect(result.tls?.wire?.length ?? 0).toBeLessThanOrEqual(64);
  await expect.poll(() => open.size).toBe(0);
  return result;
}

const reasonOf = async (server: Promise<Listening>, settings = {}) => (await suffer(server, settings)).failure?.reason;
const stalledReasonOf = async (server: Promise<Listening>) => (await suffer(server, {}, TIMEOUT_MS)).failure?.reason;

/** A TLS server in order, which answers one request. */
async function good(identity = leaf, version: 'TLSv1.2' | 'TLSv1.3' = 'TLSv1.3'): Promise<Listening> {
  const options = { key: identity.keyPem, cert: identity.chainPem, maxVersion: version };
  const server = createTlsServer(options, (socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi'));
  });
  server.on('tlsClientError', () => {});
  return kept(listen(server));
}

/** A ServerHello of TLS 1.3 that agrees on X25519 with a key that nobody has. */
const hello13 = record(
  22,
  message(
    2,
    serverHello({ cipher: 0x1301, extensions: [0, 43, 0, 2, 3, 4, 0, 51, 0, 36, 0, 29, 0, 32, ...Array(32).fill(9)] }),
  ),
);
const hello12 = record(22, message(2, serverHello()));

describe('a server that stalls', () => {
  it.each([
    ['says nothing', () => rawServer((socket) => socket.resume())],
    ['says nothing after its ServerHello', () => answering(hello12)],
    ['stops within a record', () => answering(record(22, message(2, serverHello())).subarray(0, 20))],
    ['stops within a header', () => answering(Buffer.from([22, 3]))],
  ])('%s costs one time-out', async (_, server) => {
    expect(await stalledReasonOf(server())).toBe('tls_timeout');
  });

  it('sends a byte at a time and costs one time-out', async () => {
    const dripping = rawServer((socket) => {
      let at = 0;
      const timer = setInterval(() => socket.write(hello12.subarray(at, ++at)), 50);
      socket.once('close', () => clearInterval(timer));
    });
    expect(await stalledReasonOf(dripping)).toBe('tls_timeout');
  });
});

describe('a server that floods', () => {
  const EMPTY = Buffer.alloc(0);
  it.each([
    ['HelloRequests', hello12, record(22, message(0, EMPTY)), ['tls_too_large', 'tls_error']],
    ['encrypted junk', hello13, record(23, Buffer.alloc(200, 5)), ['tls_error']],
    ['changes of cipher', hello13, record(20, [1]), ['tls_too_large', 'tls_error']],
    ['empty records', EMPTY, record(22, EMPTY), ['tls_too_large', 'tls_error']],
    ['empty records of data', hello13, record(23, EMPTY), ['tls_too_large', 'tls_error']],
    ['warnings', EMPTY, record(21, [1, 112]), ['tls_too_large', 'tls_error']],
    ['heartbeats', EMPTY, record(24, Buffer.alloc(50)), ['tls_too_large', 'tls_error']],
    ['a message of 16 MB', EMPTY, record(22, Buffer.alloc(16_000, 3)), ['tls_too_large', 'tls_error']],
    [
      'a certificate of 16 MB',
      Buffer.concat([hello12, record(22, message(11, EMPTY, 0xffffff))]),
      record(22, Buffer.alloc(16_000)),
      ['tls_too_large', 'tls_error'],
    ],
    ['garbage', EMPTY, Buffer.alloc(4_000, 0xa5), ['tls_not_tls']],
  ])('with %s is given up at a bound', async (_, first, again, reasons) => {
    const result = await suffer(flooding(first, again));
    expect(reasons).toContain(result.failure?.reason);
    expect(result.tls?.handshake.bytesIn).toBeLessThan(1_000_000);
  });
});

describe('a server that says something else', () => {
  it.each([
    ['plain HTTP', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
    ['SSH', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['SSLv2', Buffer.from([0x80, 0x0b, 0x04, 0x00, 0x01, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10])],
    ['zeroes', Buffer.alloc(100)],
    ['a version of no TLS', record(22, message(2, serverHello()), 0x0505)],
  ])('as %s is no TLS', async (_, bytes) => {
    expect(await reasonOf(answering(Buffer.from(bytes)))).toBe('tls_not_tls');
  });

  it.each([
    ['SSLv3', serverHello({ version: 0x0300 }), 'tls_version'],
    ['TLS 1.1', serverHello({ version: 0x0302 }), 'tls_version'],
    ['a version of the future', serverHello({ version: 0x0309 }), 'tls_version'],
    ['a cipher that was not offered', serverHello({ cipher: 0xfefe }), 'tls_error'],
    ['a cut hello', serverHello().subarray(0, 20), 'tls_error'],
  ])('as %s is named', async (_, body, reason) => {
    expect(await reasonOf(answering(record(22, message(2, body))))).toBe(reason);
  });

  it.each([
    [40, 'tls_no_shared_cipher'],
    [70, 'tls_version'],
    [71, 'tls_no_shared_cipher'],
    [80, 'tls_alert'],
    [112, 'tls_alert'],
    [116, 'tls_client_certificate_required'],
    [120, 'tls_alert'],
  ])('as the fatal alert %i is named', async (alert, reason) => {
    expect(await reasonOf(answering(record(21, [2, alert])))).toBe(reason);
  });

  it('as an alert that nobody knows is named after the time-out that it costs', async () => {
    const result = await suffer(answering(record(21, [2, 255])), {}, TIMEOUT_MS);
    expect(result.failure).toMatchObject({ reason: 'tls_alert', message: expect.stringContaining('alert_255') });
  });

  it('as a close_notify has closed', async () => {
    expect(await reasonOf(answering(record(21, [1, 0])))).toBe('tls_closed');
  });
});

describe.each(['TLSv1.2', 'TLSv1.3'] as const)('a connection of %s that is cut', (version) => {
  /** The places after and within each record of the server, up to the end of its answer. */
  async function places(port: number): Promise<number[]> {
    const { result } = await probe(`https://localhost:${port}/`, { settings: { caPem: root.certPem } });
    const found = [0];
    for (const { direction, bytes } of result.tls?.wire ?? []) {
      const last = found.at(-1) ?? 0;
      if (direction === 'in') found.push(last + Math.floor(bytes / 2), last + bytes);
    }
    return found;
  }

  it.each(['reset', 'end', 'silence'] as const)(
    'by %s at each point fails for a reason, and in time',
    async (cut: Cut) => {
      const { port } = await good(leaf, version);
      const points = await places(port);
      const limit = cut === 'silence' ? TIMEOUT_MS : PATIENT_MS;
      expect(points.length).toBeGreaterThan(8);
      const ends = await Promise.all(
        points.map(async (bytes) => {
          const { url, open } = await kept(cutting(port, bytes, cut));
          const { result } = await probe(url, { settings: { caPem: root.certPem }, timeoutMs: limit });
          await expect.poll(() => open.size).toBe(0);
          return result;
        }),
      );
      for (const { failure, ok, phases } of ends) {
        expect(phases.total).toBeLessThan(limit + SLACK_MS);
        if (ok) continue;
        expect(failure?.source).toBe('target');
        const word = { reset: 'reset', end: 'closed', silence: 'timeout' }[cut];
        // A reset may overtake what was on its way, and an end may come as a reset to what is still being written.
        expect(failure?.reason).toMatch(
          cut === 'silence' ? /^(tls|http)_timeout$/ : new RegExp(`^(tls|http)_(${word}|reset|closed)$`),
        );
      }
      expect(ends.filter(({ ok }) => !ok).length).toBeGreaterThan(points.length - 4);
    },
  );

  it.each([
    ['tls_reset', () => rawServer((socket) => socket.resetAndDestroy())],
    ['tls_closed', () => rawServer((socket) => socket.resume().end())],
  ])('right after the connect is named %s', async (_, server) => {
    // Which of the two the kernel tells first is chance: the ClientHello may already have met a closed socket.
    expect(['tcp_reset', 'tls_reset', 'tls_closed']).toContain(
      await reasonOf(server(), { tlsVersion: version === 'TLSv1.2' ? '1.2' : '1.3' }),
    );
  });
});

describe.each(['TLSv1.2', 'TLSv1.3'] as const)('a stream of %s that is garbled on the way', (version) => {
  /** From byte `at` of the server's on, `gone` bytes are lost and others come in their place. */
  const garbling = fc.record({
    at: fc.nat(1_200),
    gone: fc.nat(40),
    instead: fc.uint8Array({ maxLength: 40 }),
    alpn: fc.constantFrom<('h2' | 'http/1.1')[]>(['h2', 'http/1.1'], ['http/1.1']),
  });

  it('anywhere fails for a reason of the target, or does no harm', async () => {
    const { port } = await good(leaf, version);
    const ends = await Promise.all(
      fc.sample(garbling, 80).map(async ({ at, gone, instead, alpn }) => {
        const { url, open } = await kept(
          relaying(port, (chunk, passed) => {
            const from = at - passed;
            if (from < 0 || from >= chunk.length) return chunk;
            return Buffer.concat([chunk.subarray(0, from), instead, chunk.subarray(from + gone)]);
          }),
        );
        const { result } = await probe(url, { settings: { caPem: root.certPem, alpn }, timeoutMs: 1_500 });
        await expect.poll(() => open.size).toBe(0);
        return { garbled: { at, gone, instead, alpn }, ...result };
      }),
    );
    for (const { garbled, ok, failure, phases } of ends) {
      expect(phases.total, JSON.stringify(garbled)).toBeLessThan(1_500 + SLACK_MS);
      if (!ok) expect(failure, JSON.stringify(garbled)).toMatchObject({ source: 'target' });
    }
    expect(ends.filter(({ ok }) => !ok).length).toBeGreaterThan(40);
  });
});

describe('what is odd but works', () => {
  it('is a chain of 60 kB', async () => {
    const large = await issue(root, { names: ['localhost'], bloatBytes: 62_000 });
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const { url } = await good(large, version);
      const { result } = await probe(url, { settings: { caPem: root.certPem } });
      expect(result).toMatchObject({ ok: true, failure: null });
      expect(result.tls?.certificate?.chainBytes).toBeGreaterThan(60_000);
      expect(result.tls?.certificate?.sent?.messageBytes).toBeGreaterThan(60_000);
      expect(result.tls?.certificate?.names.length).toBeGreaterThan(500);
    }
  });

  it('is a ServerHello in records of one byte', async () => {
    const { port } = await good(leaf, 'TLSv1.2');
    const { url } = await kept(relaying(port, crumbling(1)));
    const { result } = await probe(url, { settings: { caPem: root.certPem } });
    expect(result).toMatchObject({ ok: true, tls: { version: 'TLSv1.2', hellos: { serverLegacyVersion: 'TLSv1.2' } } });
    expect(result.tls?.handshake.records).toBeGreaterThan(60);
  });

  it('is no longer so where the whole flight crumbles, which is more records than a probe takes', async () => {
    const { port } = await good(leaf, 'TLSv1.2');
    const { url } = await kept(relaying(port, crumbling(4)));
    const { result } = await probe(url, { settings: { caPem: root.certPem } });
    expect(result.failure).toMatchObject({ phase: 'tls', reason: 'tls_too_large' });
  });

  it('is a chain that is too long for a client, which is named', async () => {
    const huge = await issue(root, { names: ['localhost'], bloatBytes: 150_000 });
    const { url } = await good(huge);
    const { result } = await probe(url, { settings: { caPem: root.certPem } });
    expect(result.failure).toMatchObject({ phase: 'tls', reason: 'tls_too_large', source: 'target' });
  });
});
