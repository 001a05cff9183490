import { createServer, type TlsOptions } from 'node:tls';
import { beforeAll, describe, expect, it } from 'vitest';
import { factsOf, whatIf } from '#analysis/what-if/what-if.ts';
import type { ProbeSettings } from '#contract/target.ts';
import { type Authority, createAuthority, type Issued, issue } from '../support/pki.ts';
import { forThisTest, listen, probe } from '../support/probing.ts';

// Certificate compression (RFC 8879) against Node's own server: what the wire carried, and what it would have.

let root: Authority;
let intermediate: Authority;
let leaf: Issued;

beforeAll(async () => {
  root = await createAuthority({ name: 'Compression root', key: 'ec' });
  intermediate = await createAuthority({ name: 'Compression intermediate', key: 'ec', parent: root });
  const names = Array.from({ length: 600 }, (_, index) => `host-${index}.some-long-department.shop.example`);
  leaf = await issue(intermediate, { names: ['localhost', ...names] });
});

async function resultOf(options: TlsOptions, settings: Partial<ProbeSettings> = {}) {
  const tls = createServer({ key: leaf.keyPem, cert: leaf.chainPem, ...options });
  tls.on('tlsClientError', () => {});
  tls.on('secureConnection', (socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi'));
  });
  const { url } = await forThisTest(listen(tls));
  const { result } = await probe(url, { settings: { caPem: root.certPem, ...settings } });
  expect(result.failure).toBeNull();
  return result;
}

describe('certificate compression', () => {
  it.each(['brotli', 'zlib', 'zstd'] as const)('by %s is offered, read, and recorded with both sizes', async (name) => {
    const server = { certificateCompression: [name] };
    const [with_, without] = [await resultOf(server), await resultOf(server, { certificateCompression: false })];
    const [sent, plain] = [with_.tls?.certificate?.sent, without.tls?.certificate?.sent];
    expect(with_.tls?.hellos?.offeredCompression).toEqual(['brotli', 'zlib', 'zstd']);
    expect(with_.tls?.certificateCompression).toBe(name);
    expect(sent?.uncompressedBytes).toBe(plain?.messageBytes);
    expect(sent?.messageBytes).toBeLessThan(0.5 * (plain?.messageBytes ?? 0));
    expect(sent?.certificates).toEqual(plain?.certificates);
    expect(with_.tls?.certificate?.chainBytes).toBe(without.tls?.certificate?.chainBytes);
    expect(without.tls?.hellos?.offeredCompression).toEqual([]);
    expect(without.tls).toMatchObject({ certificateCompression: null });
    expect(plain).not.toHaveProperty('uncompressedBytes');
    expect(sent).not.toHaveProperty('compressibleTo');
    // What is promised of a server without it is what one with it sends, within the quality of the compression.
    if (name === 'brotli') {
      expect(plain?.compressibleTo).toBeGreaterThan(0.9 * (sent?.messageBytes ?? 0));
      expect(plain?.compressibleTo).toBeLessThan(1.3 * (sent?.messageBytes ?? 0));
    }
    // The flight differs by as much, but for the headers of the records that the larger message takes.
    const saved = (without.tls?.handshake.bytesIn ?? 0) - (with_.tls?.handshake.bytesIn ?? 0);
    const spared = (plain?.messageBytes ?? 0) - (sent?.messageBytes ?? 0);
    expect(saved).toBeGreaterThanOrEqual(spared - 8);
    expect(saved).toBeLessThanOrEqual(spared + 64);
  });

  it('leaves the chain as it was sent: in the wrong order it is still', async () => {
    const cert = leaf.certPem + root.certPem + intermediate.certPem;
    const { tls, findings } = await resultOf({ cert, certificateCompression: ['brotli'] });
    expect(tls?.certificateCompression).toBe('brotli');
    expect(tls?.certificate?.sent?.problems).toEqual(['wrong_order', 'root_sent']);
    const extra = findings.find(({ code }) => code === 'chain_extra_certificates');
    expect(extra?.values?.messageBytes).toBe(tls?.certificate?.sent?.uncompressedBytes);
    expect(extra?.evidence).toContain('before compression');
  });

  it('is not there in TLS 1.2, nor where the server has none of it', async () => {
    const old = await resultOf({ certificateCompression: ['brotli'] }, { tlsVersion: '1.2' });
    expect(old.tls).toMatchObject({ version: 'TLSv1.2', certificateCompression: null });
    const none = await resultOf({});
    expect(none.tls).toMatchObject({ version: 'TLSv1.3', certificateCompression: null });
    expect(none.tls?.hellos?.offeredCompression).toEqual(['brotli', 'zlib', 'zstd']);
  });

  it('is taken off for clients that do not offer it, as the wire then shows it', async () => {
    const server = { certificateCompression: ['brotli' as const] };
    const [with_, without] = [await resultOf(server), await resultOf(server, { certificateCompression: false })];
    // A loopback's round trip is no base for times: the sizes are the wire's, the path is one of 100 ms.
    const over100 = (result: typeof with_) => {
      const facts = factsOf({ ...result, prober: { ...result.prober, clean: true } });
      if (!facts) throw new Error('these are no facts');
      return { ...facts, exchange: { ...facts.exchange, rttMs: 100, window: 10, segmentBytes: 1_448 } };
    };
    const tripsOf = (result: typeof with_, client: 'api' | 'browser') => {
      const { measured, ...facts } = over100(result);
      const nothing = { handshake: 0, firstUsable: 0, firstBody: 0, total: 0 };
      const before = whatIf({ measured: nothing, ...facts }, [], client).before.handshake;
      return Math.round((before - whatIf({ measured: nothing, ...facts }, [], 'browser').before.handshake) / 100);
    };
    expect([tripsOf(with_, 'browser'), tripsOf(with_, 'api')]).toEqual([0, 1]);
    expect([tripsOf(without, 'browser'), tripsOf(without, 'api')]).toEqual([0, 0]);
  });
});
