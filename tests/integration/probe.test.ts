import { createSecureServer, type Http2SecureServer } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Authority, createAuthority, type Issued, issue } from '../support/pki.ts';
import { type Listening, listen, cleanProbe as probe } from '../support/probing.ts';

let root: Authority;
let leaf: Issued;
let h2: Listening;
let http1: Listening;
let redirecting: Listening;
let failing: Listening;

function http2Server(
  identity: Issued,
  headers: Record<string, string>,
  status: number,
  body: Buffer,
): Http2SecureServer {
  return createSecureServer({ key: identity.keyPem, cert: identity.chainPem, allowHTTP1: true }, (_, response) => {
    response.writeHead(status, headers);
    response.end(body);
  });
}

beforeAll(async () => {
  root = await createAuthority({ name: 'Probe root', key: 'ec' });
  const intermediate = await createAuthority({ name: 'Probe intermediate', key: 'ec', parent: root });
  leaf = await issue(intermediate, { names: ['localhost', '127.0.0.1'], key: 'ec' });
  h2 = await listen(http2Server(leaf, { server: 'test/2' }, 200, Buffer.alloc(50_000, 'x')));
  http1 = await listen(
    createHttpsServer({ key: leaf.keyPem, cert: leaf.chainPem }, (_, response) => {
      response.setHeader('server', 'test/1').end('hello');
    }),
  );
  redirecting = await listen(http2Server(leaf, { location: 'https://elsewhere.example/' }, 301, Buffer.alloc(0)));
  failing = await listen(http2Server(leaf, {}, 503, Buffer.from('busy')));
});

afterAll(async () => {
  for (const server of [h2, http1, redirecting, failing]) await server.close();
});

describe('a probe of a server in order', () => {
  it('measures every phase of HTTP/2 over TLS 1.3', async () => {
    const { result } = await probe(h2.url, { settings: { caPem: root.certPem } });
    expect(result).toMatchObject({ ok: true, failure: null, url: h2.url });
    expect(result.network).toMatchObject({ peerAddress: '127.0.0.1', peerPort: h2.port, family: 4 });
    expect(result.tls).toMatchObject({ version: 'TLSv1.3', group: 'X25519MLKEM768', alpn: 'h2', resumed: false });
    expect(result.tls?.handshake).toMatchObject({ roundTrips: 1, expectedRoundTrips: 1, flights: 1 });
    expect(result.tls?.certificate).toMatchObject({ verified: true, chainLength: 2, keyType: 'ec', keyBits: 256 });
    expect(result.tls?.certificate?.names).toEqual(['localhost', '127.0.0.1']);
    expect(result.http).toMatchObject({ version: '2', status: 200, bytes: 50_000, server: 'test/2' });
    for (const phase of Object.values(result.phases)) expect(phase).not.toBeNull();
    const marks = Object.values(result.marks).map(Number);
    expect(marks).toEqual([...marks].sort((a, b) => a - b));
  });

  it('counts two round trips of a full TLS 1.2 handshake and reads the chain off the wire', async () => {
    const { result } = await probe(h2.url, { settings: { caPem: root.certPem, tlsVersion: '1.2' } });
    expect(result.tls).toMatchObject({ version: 'TLSv1.2', group: 'X25519' });
    expect(result.tls?.handshake).toMatchObject({ roundTrips: 2, expectedRoundTrips: 2 });
    expect(result.tls?.certificate?.chainLength).toBe(2);
    const sent = result.tls?.wire?.find(({ type }) => type.startsWith('certificate'));
    expect(sent?.bytes).toBeGreaterThan(Number(result.tls?.certificate?.chainBytes));
    expect(result.findings).toContainEqual(
      expect.objectContaining({ code: 'tls12_full_handshake', savesRoundTrips: 1 }),
    );
  });

  it('speaks HTTP/1.1 where the server has nothing else, and says so', async () => {
    const { result } = await probe(http1.url, { settings: { caPem: root.certPem } });
    expect(result.http).toMatchObject({ version: '1.1', status: 200, bytes: 5, server: 'test/1' });
    expect(result.findings.map(({ code }) => code)).toContain('http1_only');
  });

  it('ends with the handshake where HTTP is not wanted', async () => {
    const { result } = await probe(h2.url, { settings: { caPem: root.certPem, http: false } });
    expect(result).toMatchObject({ ok: true, http: null });
    expect(result.phases).toMatchObject({ firstByte: null, download: null });
    expect(result.phases.total).toBe(result.marks.appconnect);
  });

  it.each(['1.2', '1.3'] as const)('resumes a TLS %s session in one round trip', async (tlsVersion) => {
    const settings = { caPem: root.certPem, tlsVersion };
    const { session } = await probe(h2.url, { settings });
    const { result } = await probe(h2.url, { settings, session: session ?? undefined });
    expect(result).toMatchObject({ ok: true, tls: { resumed: true, certificate: null } });
    expect(result.tls?.handshake).toMatchObject({ roundTrips: 1, expectedRoundTrips: 1 });
    expect(result.tls?.staple.status).toBe('not_observed');
  });

  it('has no dns phase for a literal or a fixed address', async () => {
    const literal = await probe(`https://127.0.0.1:${h2.port}/`, { settings: { caPem: root.certPem } });
    expect(literal.result).toMatchObject({ ok: true, phases: { dns: null } });
    const fixed = await probe(`https://nowhere.invalid:${h2.port}/`, {
      settings: { caPem: root.certPem, address: '127.0.0.1', sni: 'localhost' },
    });
    expect(fixed.result).toMatchObject({ ok: true, phases: { dns: null }, marks: { namelookup: null } });
  });

  it('sees a HelloRetryRequest, what it costs and which group it led to', async () => {
    const server = await listen(createHttpsServer({ key: leaf.keyPem, cert: leaf.chainPem, ecdhCurve: 'secp384r1' }));
    const { result } = await probe(server.url, { settings: { caPem: root.certPem, http: false } });
    await server.close();
    expect(result.tls).toMatchObject({ helloRetry: true, group: 'secp384r1' });
    expect(result.tls?.handshake).toMatchObject({ roundTrips: 2, expectedRoundTrips: 2 });
    expect(result.findings.map(({ code }) => code)).toEqual(['hello_retry']);
  });

  it('pins the kind of certificate where a server has both', async () => {
    const rsa = await issue(root, { names: ['localhost'], key: 'rsa2048' });
    const server = await listen(
      createHttpsServer({ key: [leaf.keyPem, rsa.keyPem], cert: [leaf.chainPem, rsa.chainPem] }),
    );
    const settings = { caPem: root.certPem, http: false };
    const keyTypes = [];
    for (const sigalgs of ['RSA', 'ECDSA'] as const) {
      const { result } = await probe(server.url, { settings: { ...settings, sigalgs } });
      keyTypes.push(result.tls?.certificate?.keyType);
    }
    await server.close();
    expect(keyTypes).toEqual(['rsa', 'ec']);
  });

  it('reports a redirect and does not follow it', async () => {
    const { result } = await probe(redirecting.url, { settings: { caPem: root.certPem } });
    expect(result).toMatchObject({ ok: true, http: { status: 301, location: 'https://elsewhere.example/' } });
  });

  it('fails for a status of 400 or more, with all phases measured', async () => {
    const { result } = await probe(failing.url, { settings: { caPem: root.certPem } });
    expect(result).toMatchObject({
      ok: false,
      failure: { phase: 'firstByte', reason: 'http_status', source: 'target' },
    });
    expect(result.phases.download).not.toBeNull();
  });

  it('leaves no connection open', async () => {
    await probe(h2.url, { settings: { caPem: root.certPem } });
    await expect.poll(() => h2.open.size).toBe(0);
  });
});
