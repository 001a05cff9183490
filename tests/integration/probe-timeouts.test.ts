import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Timeouts } from '#contract/target.ts';
import { realEnvironment } from '#probe/environment.ts';
import { libc } from '#probe/kernel/libc.ts';
import { measure } from '#probe/measure.ts';
import { deafPort } from '../support/deaf-port.ts';
import { type Authority, createAuthority, issue } from '../support/pki.ts';
import { listen, probe, rawServer, requestFor } from '../support/probing.ts';

/** Long enough for a busy machine to do what is to succeed, and far below the time-outs that must not strike. */
const SHORT_MS = 700;
const LONG_MS = 20_000;
const patient: Timeouts = { dns: LONG_MS, tcp: LONG_MS, tls: LONG_MS, firstByte: LONG_MS, download: LONG_MS };

let root: Authority;
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  root = await createAuthority({ name: 'Time-out root', key: 'ec' });
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function secureServer(answer: (socket: TLSSocket) => void, protocol = 'http/1.1'): Promise<string> {
  const leaf = await issue(root, { names: ['localhost'] });
  const server = createTlsServer({ key: leaf.keyPem, cert: leaf.chainPem, ALPNProtocols: [protocol] });
  server.on('secureConnection', (socket) => {
    socket.on('error', () => {});
    socket.once('data', () => answer(socket));
  });
  const listening = await listen(server);
  closing.push(listening.close);
  return listening.url;
}

/** A probe in which one phase may take but a short time, and all others a long one. */
async function hasty(url: string, phase: keyof Timeouts) {
  const settings = { caPem: root.certPem, timeouts: { ...patient, [phase]: SHORT_MS } };
  const { result } = await probe(url, { settings, timeoutMs: LONG_MS });
  expect(result.phases.total).toBeGreaterThanOrEqual(SHORT_MS - 2);
  expect(result.phases.total).toBeLessThan(LONG_MS / 2);
  return result;
}

async function silentResolver(): Promise<string> {
  const socket: UdpSocket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  closing.push(() => socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

async function silentPort(): Promise<number> {
  const { port, close } = await deafPort();
  closing.push(close);
  return port;
}

describe("each phase's own time-out", () => {
  it('ends a look-up that no resolver answers, and names the resolver', async () => {
    const resolver = await silentResolver();
    const settings = { timeouts: { ...patient, dns: SHORT_MS } };
    const request = requestFor('https://silent.example/', { settings, timeoutMs: LONG_MS });
    const { result } = await measure(request, realEnvironment({ servers: [resolver] }));
    expect(result.failure).toMatchObject({ phase: 'dns', reason: 'dns_timeout', source: 'resolver' });
    expect(result.network).toMatchObject({ resolver, peerAddress: null, family: null });
    expect(result.phases).toMatchObject({ dns: null, tcp: null, tls: null, firstByte: null, download: null });
    expect(result.tls).toBeNull();
  });

  it('ends a connect whose SYN nobody answers', async () => {
    const result = await hasty(`https://127.0.0.1:${await silentPort()}/`, 'tcp');
    expect(result.failure).toMatchObject({ phase: 'tcp', reason: 'tcp_timeout', source: 'target' });
    expect(result.phases).toMatchObject({ tcp: null, tls: null });
    expect(result.tls).toBeNull();
  });

  it.skipIf(libc() === null)('of a connect leaves the number of SYNs that were sent in vain', async () => {
    const settings = { timeouts: { ...patient, tcp: 1_500 } };
    const { result } = await probe(`https://127.0.0.1:${await silentPort()}/`, { settings, timeoutMs: LONG_MS });
    expect(result.failure).toMatchObject({ phase: 'tcp', reason: 'tcp_timeout' });
    expect(result.network).toMatchObject({ synRetransmits: expect.any(Number), minRttMs: null, segmentsIn: 0 });
    expect(result.network.synRetransmits).toBeGreaterThan(0);
    expect(result.network.retransmits).toBe(result.network.synRetransmits);
    expect(result.findings).toMatchObject([{ code: 'loss', evidence: expect.stringContaining('the SYN was sent ') }]);
  });

  it('ends a handshake that gets no answer', async () => {
    const server = await rawServer((socket) => socket.resume());
    closing.push(server.close);
    const result = await hasty(server.url, 'tls');
    expect(result.failure).toMatchObject({ phase: 'tls', reason: 'tls_timeout', source: 'target' });
    expect(result.phases).toMatchObject({ tcp: expect.any(Number), tls: null, firstByte: null });
    expect(result.tls).toMatchObject({ version: null, handshake: { roundTrips: null, wireMs: null, bytesIn: 0 } });
  });

  it.each(['http/1.1', 'h2'])('ends the wait for the first byte of %s', async (protocol) => {
    const result = await hasty(await secureServer(() => {}, protocol), 'firstByte');
    expect(result.failure).toMatchObject({ phase: 'firstByte', reason: 'http_timeout', source: 'target' });
    expect(result.phases).toMatchObject({ tls: expect.any(Number), firstByte: null, download: null });
    expect(result.marks).toMatchObject({ pretransfer: expect.any(Number), starttransfer: null });
    expect(result.http).toBeNull();
  });

  it('ends a body that stalls, with its first byte measured', async () => {
    const url = await secureServer((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'));
    const result = await hasty(url, 'download');
    expect(result.failure).toMatchObject({ phase: 'download', reason: 'http_timeout', source: 'target' });
    expect(result.phases).toMatchObject({ firstByte: expect.any(Number), download: null });
    expect(result.http).toMatchObject({ status: 200, bytes: 4 });
  });

  it('leaves room for slow phases before it: a late first byte does not eat the time of the body', async () => {
    const url = await secureServer((socket) => {
      setTimeout(() => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi'), SHORT_MS + 300);
    });
    const settings = { caPem: root.certPem, timeouts: { ...patient, download: SHORT_MS } };
    const { result } = await probe(url, { settings, timeoutMs: LONG_MS });
    expect(result).toMatchObject({ ok: true, http: { bytes: 2 } });
    expect(result.phases.firstByte).toBeGreaterThan(SHORT_MS);
  });
});
