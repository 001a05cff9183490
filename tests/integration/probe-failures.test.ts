import { createServer as createHttpServer } from 'node:http';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { beforeAll, describe, expect, it } from 'vitest';
import { oldTlsServer } from '../support/old-tls.ts';
import { type Authority, createAuthority, type IssueOptions, issue } from '../support/pki.ts';
import { forThisTest, listen, probe, rawServer } from '../support/probing.ts';

const DAY_MS = 86_400_000;
let root: Authority;
let intermediate: Authority;

beforeAll(async () => {
  root = await createAuthority({ name: 'Failure root', key: 'ec' });
  intermediate = await createAuthority({ name: 'Failure intermediate', key: 'ec', parent: root });
});

/** A TLS server with a leaf of the authority; by default it sends the whole chain but the root. */
async function tlsServer(authority: Authority | null, leaf: Partial<IssueOptions>, options: TlsOptions = {}) {
  const identity = await issue(authority, { names: ['localhost'], ...leaf });
  const server = createTlsServer({ key: identity.keyPem, cert: identity.chainPem, ...options });
  server.on('tlsClientError', () => {});
  server.on('secureConnection', (socket) => socket.on('error', () => {}));
  return forThisTest(listen(server));
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

  it('names one for another host', async () => {
    const server = await tlsServer(intermediate, { names: ['other.example'] });
    const { result } = await probe(server.url, { settings: trusted() });
    expect(result.failure?.reason).toBe('cert_name_mismatch');
  });

  it('names a chain that ends in a stranger', async () => {
    const server = await tlsServer(intermediate, {});
    expect((await probe(server.url)).result.failure?.reason).toBe('cert_untrusted');
  });

  it('names a chain whose intermediate was left out', async () => {
    const identity = await issue(intermediate, { names: ['localhost'] });
    const server = await forThisTest(listen(createTlsServer({ key: identity.keyPem, cert: identity.certPem })));
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

describe('a server without secure renegotiation (RFC 5746)', () => {
  it('is measured as browsers talk to it: there is no second handshake to be attacked', async () => {
    const identity = await issue(root, { names: ['localhost'], key: 'rsa2048' });
    const server = await forThisTest(oldTlsServer(identity));
    const { result } = await probe(server.url, { settings: trusted() });
    expect(result).toMatchObject({
      ok: true,
      tls: { version: 'TLSv1.2', keyExchange: 'RSA', certificate: { verified: true } },
    });
    expect(result.phases.tls).toBeGreaterThan(0);
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

  it('tells a reset from an orderly end', async () => {
    const resetting = await forThisTest(rawServer((socket) => socket.once('data', () => socket.resetAndDestroy())));
    expect((await probe(resetting.url)).result.failure?.reason).toBe('tls_reset');
    const ending = await forThisTest(rawServer((socket) => socket.once('data', () => socket.end())));
    expect((await probe(ending.url)).result.failure?.reason).toBe('tls_closed');
  });

  it('recognises plain HTTP', async () => {
    const server = await forThisTest(listen(createHttpServer()));
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
    const server = await forThisTest(rawServer((socket) => socket.once('data', () => socket.end(alert))));
    const { result } = await probe(server.url);
    expect(result.failure).toMatchObject({ phase: 'tls', reason: 'tls_alert' });
    expect(result.failure?.message).toContain('internal_error');
  });

  it('refuses addresses that are not public where it must', async () => {
    const server = await forThisTest(rawServer(() => {}));
    const { result } = await probe(server.url, { allowPrivate: false });
    expect(result.failure).toMatchObject({ phase: 'tcp', reason: 'address_not_allowed', source: 'target' });
    expect(server.open.size).toBe(0);
  });
});
