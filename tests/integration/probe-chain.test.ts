import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import * as pkijs from 'pkijs';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ProbeSettings } from '#contract/target.ts';
import { ticketFinding } from '#probe/findings/resumption.ts';
import { type Authority, createAuthority, type Issued, intermediateWith, issue } from '../support/pki.ts';
import { type Listening, listen, probe } from '../support/probing.ts';

let root: Authority;
let intermediate: Authority;
let stranger: Authority;
let leaf: Issued;
let rsaLeaf: Issued;
let server: Listening | null = null;

beforeAll(async () => {
  root = await createAuthority({ name: 'Chain root', key: 'ec' });
  intermediate = await createAuthority({ name: 'Chain intermediate', key: 'ec', parent: root });
  stranger = await createAuthority({ name: 'Chain stranger', key: 'ec' });
  leaf = await issue(intermediate, { names: ['localhost'] });
  rsaLeaf = await issue(intermediate, { names: ['localhost'], key: 'rsa2048' });
});

afterEach(async () => {
  await server?.close();
  server = null;
});

async function resultOf(options: TlsOptions, settings: Partial<ProbeSettings> = {}) {
  const tls = createTlsServer({ key: leaf.keyPem, cert: leaf.chainPem, ...options });
  tls.on('tlsClientError', () => {});
  tls.on('secureConnection', (socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi'));
  });
  server = await listen(tls);
  const { result } = await probe(server.url, { settings: { caPem: root.certPem, http: false, ...settings } });
  return result;
}

const VERSIONS = ['1.2', '1.3'] as const;

describe.each(VERSIONS)('the chain as TLS %s sends it', (tlsVersion) => {
  const sentOf = async (cert: string, settings: Partial<ProbeSettings> = {}) => {
    const result = await resultOf({ cert }, { tlsVersion, ...settings });
    const codes = result.findings.map(({ code }) => code).filter((code) => code.startsWith('chain_'));
    return { result, sent: result.tls?.certificate?.sent, codes };
  };
  const subjects = (sent: { certificates: { subject: string }[] } | null | undefined) =>
    sent?.certificates.map(({ subject }) => subject.replace('CN=', ''));

  it('is listed with its bytes where it is in order', async () => {
    const { result, sent, codes } = await sentOf(leaf.chainPem);
    expect(sent?.problems).toEqual([]);
    expect(subjects(sent)).toEqual(['localhost', 'Chain intermediate']);
    const bytes = sent?.certificates.reduce((sum, each) => sum + each.bytes, 0) ?? 0;
    expect(result.tls?.certificate).toMatchObject({ chainLength: 2, chainBytes: bytes, verified: true });
    expect(sent?.certificates[0]).toMatchObject({
      sha256: result.tls?.certificate?.sha256,
      keyType: 'ec',
      keyBits: 256,
    });
    // A header, the list's length, and each certificate's length; TLS 1.3 adds a context and extensions, here empty.
    expect(sent?.messageBytes).toBe(bytes + (tlsVersion === '1.2' ? 4 + 3 + 2 * 3 : 4 + 1 + 3 + 2 * 5));
    expect(codes).toEqual([]);
  });

  it('shows a wrong order, and the root that is in its way', async () => {
    const { result, sent, codes } = await sentOf(leaf.certPem + root.certPem + intermediate.certPem);
    expect(result.ok).toBe(true);
    expect(subjects(sent)).toEqual(['localhost', 'Chain root', 'Chain intermediate']);
    expect(sent?.problems).toEqual(['wrong_order', 'root_sent']);
    expect(codes).toEqual(['chain_wrong_order', 'chain_extra_certificates']);
    expect(result.tls?.certificate?.chainLength).toBe(3);
  });

  it('shows a missing intermediate', async () => {
    const { result, sent, codes } = await sentOf(leaf.certPem, { verify: false });
    expect(sent?.problems).toEqual(['missing_intermediate']);
    expect(codes).toEqual(['chain_missing_intermediate']);
    expect(result.findings.at(-1)).toMatchObject({ evidence: expect.stringContaining('Chain intermediate') });
  });

  it('shows a missing intermediate where the root alone was sent', async () => {
    const { sent, codes } = await sentOf(leaf.certPem + root.certPem, { verify: false });
    expect(sent?.problems).toEqual(['extra_certificates', 'missing_intermediate']);
    expect(codes).toEqual(['chain_missing_intermediate', 'chain_extra_certificates']);
  });

  it('shows a missing intermediate that the user happens to have, too', async () => {
    const { result, sent } = await sentOf(leaf.certPem, { caPem: root.certPem + intermediate.certPem });
    expect(result).toMatchObject({ ok: true, tls: { certificate: { verified: true } } });
    expect(sent?.problems).toEqual(['missing_intermediate']);
  });

  describe('with an intermediate that ends before the leaf', () => {
    const DAY_MS = 86_400_000;
    const until = (days: number) => new Date(Date.now() + days * DAY_MS);
    const expiryOf = ({ findings }: { findings: { code: string; evidence: string; severity: string }[] }) =>
      findings.find(({ code }) => code === 'cert_expires_soon');

    it('is warned of as if the leaf ended then', async () => {
      const short = await intermediateWith(root, { notAfter: until(20) });
      const { keyPem: key, chainPem: cert } = await issue(short, { names: ['localhost'] });
      const result = await resultOf({ key, cert }, { tlsVersion });
      expect(result).toMatchObject({ ok: true });
      expect(result.tls?.certificate?.sent?.certificates.map(({ endsFirst }) => endsFirst)).toEqual([undefined, true]);
      expect(expiryOf(result)).toMatchObject({ severity: 'critical', values: { days: 19, lifetimeDays: 320 } });
      expect(expiryOf(result)?.evidence).toContain(`intermediate certificate CN=${short.name}`);
    });

    it('is silent of what was sent beyond the trusted root: one that a root of the past signed', async () => {
      const old = await createAuthority({ name: 'Chain old root', key: 'ec' });
      const signed = pkijs.Certificate.fromBER(new Uint8Array(new X509Certificate(root.certPem).raw).buffer);
      signed.issuer = old.certificate.subject;
      signed.notAfter.value = until(-30);
      await signed.sign(old.privateKey, 'SHA-256', new pkijs.CryptoEngine({ name: 'node', crypto: globalThis.crypto }));
      const crossed = new X509Certificate(Buffer.from(signed.toSchema().toBER())).toString();
      const result = await resultOf({ cert: leaf.chainPem + crossed }, { tlsVersion });
      expect(result).toMatchObject({ ok: true, tls: { certificate: { chainLength: 3, verified: true } } });
      expect(result.tls?.certificate?.sent?.certificates.some(({ endsFirst }) => endsFirst)).toBe(false);
      expect(expiryOf(result)).toBeUndefined();
    });
  });

  it('shows certificates sent in vain, and what they weigh', async () => {
    const { result, sent, codes } = await sentOf(leaf.chainPem + stranger.certPem + intermediate.certPem);
    expect(sent?.problems).toEqual(['extra_certificates', 'duplicate_certificates']);
    expect(codes).toEqual(['chain_extra_certificates']);
    const [, , ...inVain] = sent?.certificates ?? [];
    const wasted = inVain.reduce((sum, { bytes }) => sum + bytes, 0);
    expect(result.findings.at(-1)?.evidence).toContain(`${wasted} of ${sent?.messageBytes} bytes`);
  });

  it('goes by signatures: an issuer of the same name that did not sign is an extra, and the true one is missing', async () => {
    const twin = await createAuthority({ name: 'Chain intermediate', key: 'ec' });
    const { sent } = await sentOf(leaf.certPem + twin.certPem, { verify: false });
    expect(sent?.problems).toEqual(['extra_certificates', 'missing_intermediate']);
  });

  it('does not call a chain short because its leaf has expired', async () => {
    const old = await issue(intermediate, {
      names: ['localhost'],
      notBefore: new Date(0),
      notAfter: new Date(86_400_000),
    });
    const result = await resultOf({ key: old.keyPem, cert: old.chainPem }, { tlsVersion });
    expect(result.failure?.reason).toBe('cert_expired');
    expect(result.tls?.certificate?.sent?.problems).toEqual([]);
  });

  it('names the signature by which the server proved its key', async () => {
    const ecdsa = await resultOf({}, { tlsVersion });
    expect(ecdsa.tls?.certificate?.signature).toBe('ecdsa_secp256r1_sha256');
    await server?.close();
    const rsa = await resultOf({ key: rsaLeaf.keyPem, cert: rsaLeaf.chainPem }, { tlsVersion });
    expect(rsa.tls?.certificate?.signature).toBe('rsa_pss_rsae_sha256');
  });

  it('is the one of the pinned kind where the server has both', async () => {
    const both = { key: [leaf.keyPem, rsaLeaf.keyPem], cert: [leaf.chainPem, rsaLeaf.chainPem] };
    const kinds = [];
    for (const sigalgs of ['RSA', 'ECDSA'] as const) {
      const result = await resultOf(both, { tlsVersion, sigalgs });
      const { keyType, signature } = result.tls?.certificate ?? {};
      kinds.push([keyType, signature?.split('_')[0]]);
      await server?.close();
    }
    expect(kinds).toEqual([
      ['rsa', 'rsa'],
      ['ec', 'ecdsa'],
    ]);
  });

  it('names no shared kind where the server has the other one alone', async () => {
    const result = await resultOf({}, { tlsVersion, sigalgs: 'RSA' });
    expect(result.failure).toMatchObject({ phase: 'tls', reason: 'tls_no_shared_cipher', source: 'target' });
  });

  it('is not there in a resumed handshake', async () => {
    const first = createTlsServer({ key: leaf.keyPem, cert: leaf.chainPem }, (socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi'));
    });
    server = await listen(first);
    const settings = { caPem: root.certPem, tlsVersion };
    const full = await probe(server.url, { settings });
    const { result } = await probe(server.url, { settings, session: full.session ?? undefined });
    expect(result.tls).toMatchObject({ resumed: true, certificate: null, staple: { status: 'not_observed' } });
    expect(ticketFinding(full.result, result)).toBeNull();
  });
});

describe.each(['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'])(
  'a flight enciphered by %s',
  (cipher) => {
    it('is read', async () => {
      const result = await resultOf({ ciphers: cipher });
      expect(result.tls).toMatchObject({ cipher, certificate: { signature: 'ecdsa_secp256r1_sha256' } });
      expect(result.tls?.certificate?.sent?.certificates).toHaveLength(2);
    });
  },
);

describe('what both sides say in clear text', () => {
  it('is told of the offer and the answer', async () => {
    const result = await resultOf({}, { http: false });
    expect(result.tls?.hellos).toMatchObject({
      offeredVersions: ['TLSv1.3', 'TLSv1.2'],
      keyShares: ['X25519MLKEM768', 'X25519'],
      offeredAlpn: ['h2', 'http/1.1'],
      serverLegacyVersion: 'TLSv1.2',
    });
    expect(result.tls?.hellos?.offeredGroups).toContain('secp256r1');
    expect(result.tls?.hellos?.clientBytes).toBeGreaterThan(1_200);
  });

  it('is told of a pinned version, and of a handshake that went no further', async () => {
    const result = await resultOf({ maxVersion: 'TLSv1.2' }, { tlsVersion: '1.3' });
    expect(result).toMatchObject({
      ok: false,
      tls: { hellos: { offeredVersions: ['TLSv1.3'], serverLegacyVersion: null } },
    });
  });
});

describe('what the server gives for a later resumption', () => {
  it.each(VERSIONS)('is counted in TLS %s', async (tlsVersion) => {
    const result = await resultOf({ sessionTimeout: 1_234 }, { http: true, tlsVersion });
    const tickets = tlsVersion === '1.3' ? 2 : 1;
    expect(result.tls?.session).toEqual({ tickets, lifetimeSeconds: 1_234, earlyDataBytes: 0 });
  });

  it('is null where the probe ended before a ticket came', async () => {
    expect((await resultOf({}, { tlsVersion: '1.3' })).tls?.session).toBeNull();
  });

  it('is a broken promise where it does not resume', async () => {
    const newKeys = createTlsServer({ key: leaf.keyPem, cert: leaf.chainPem }, (socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi'));
    });
    server = await listen(newKeys);
    const settings = { caPem: root.certPem };
    const full = await probe(server.url, { settings });
    newKeys.setTicketKeys(Buffer.alloc(48, 1));
    const again = await probe(server.url, { settings, session: full.session ?? undefined });
    expect(again.result.tls?.resumed).toBe(false);
    expect(ticketFinding(full.result, again.result)).toMatchObject({ code: 'tickets_do_not_resume' });
    await once(newKeys.close(), 'close').catch(() => {});
    server = null;
  });
});
