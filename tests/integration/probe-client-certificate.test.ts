import { createPrivateKey } from 'node:crypto';
import { createServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClientCertificate, ProbeSettings } from '#contract/target.ts';
import { createAuthority, type Issued, issue } from '../support/pki.ts';
import { type Listening, listen, probe } from '../support/probing.ts';

let caPem: string;
let server: Listening;
let ours: Issued;
let other: Issued;
/** The common names of the clients whom the server let in. */
const guests: string[] = [];

beforeAll(async () => {
  const root = await createAuthority({ name: 'Client root', key: 'ec' });
  const leaf = await issue(root, { names: ['localhost'] });
  ours = await issue(root, { names: ['prober.example'], client: true });
  other = await issue(root, { names: ['other.example'], client: true });
  caPem = root.certPem;
  const options = { key: leaf.keyPem, cert: leaf.chainPem, ca: caPem, requestCert: true, rejectUnauthorized: true };
  const https = createServer(options, ({ socket }, response) => {
    guests.push(String((socket as TLSSocket).getPeerCertificate().subject.CN));
    response.end('welcome');
  });
  https.on('tlsClientError', () => {});
  server = await listen(https);
});
afterAll(() => server.close());

const shown = (clientCertificate: ClientCertificate | null, more: Partial<ProbeSettings> = {}) =>
  probe(server.url, { settings: { caPem, clientCertificate, ...more } }).then(({ result }) => result);

describe('a server that asks who the prober is', () => {
  it.each(['1.2', '1.3'] as const)('is shown the certificate in TLS %s', async (version) => {
    const result = await shown({ certPem: ours.certPem, keyPem: ours.keyPem }, { tlsVersion: version });
    expect(result).toMatchObject({ ok: true, http: { status: 200 }, tls: { version: `TLSv${version}` } });
    expect(guests.at(-1)).toBe('prober.example');
  });

  it.each(['1.2', '1.3'] as const)('refuses a probe without one in TLS %s', async (version) => {
    const result = await shown(null, { tlsVersion: version });
    expect(result.failure).toMatchObject({
      phase: 'tls',
      reason: 'tls_client_certificate_required',
      message: expect.stringContaining('certificate'),
    });
    expect(result.tls?.version).toBe(`TLSv${version}`);
  });

  it('tells two targets of one thread apart, each with its own certificate', async () => {
    const certificates = [ours, other, ours].map(({ certPem, keyPem }) => ({ certPem, keyPem }));
    for (const certificate of certificates) await shown(certificate);
    expect(guests.slice(-3)).toEqual(['prober.example', 'other.example', 'prober.example']);
  });
});

describe('a handshake pinned to one kind of certificate', () => {
  it('shows a client certificate of that kind', async () => {
    expect(await shown({ certPem: ours.certPem, keyPem: ours.keyPem }, { sigalgs: 'ECDSA' })).toMatchObject({
      ok: true,
    });
  });

  it('is not made with one of the other, for which the server would be blamed', async () => {
    const { failure } = await shown({ certPem: ours.certPem, keyPem: ours.keyPem }, { sigalgs: 'RSA' });
    expect(failure).toMatchObject({ reason: 'prober_fault', source: 'prober' });
    expect(failure?.message).toContain('sigalgs');
  });
});

describe('a client certificate that cannot be used', () => {
  const encrypted = () =>
    String(
      createPrivateKey(ours.keyPem).export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }),
    );
  const legacy = () =>
    String(
      createPrivateKey(ours.keyPem).export({ type: 'sec1', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }),
    );
  const broken = (pem: string) => pem.replace(/\n[A-Za-z0-9+/]{64}\n/, '\nAAAA\n');

  it.each([
    [
      'a key of another certificate',
      () => ({ certPem: ours.certPem, keyPem: other.keyPem }),
      /keyPem.*does not belong/,
    ],
    ['no key', () => ({ certPem: ours.certPem, keyPem: null }), /without its private key \(keyPem\)/],
    ['a key that is no PEM', () => ({ certPem: ours.certPem, keyPem: 'key' }), /keyPem.*no PEM private key/],
    [
      'a key in PKCS #8 under a passphrase',
      () => ({ certPem: ours.certPem, keyPem: encrypted() }),
      /keyPem.*encrypted/,
    ],
    ['a key in SEC 1 under a passphrase', () => ({ certPem: ours.certPem, keyPem: legacy() }), /keyPem.*encrypted/],
    ['a broken key', () => ({ certPem: ours.certPem, keyPem: broken(ours.keyPem) }), /keyPem.*cannot be read/],
    ['a certificate that is no PEM', () => ({ certPem: 'me', keyPem: ours.keyPem }), /certPem.*no PEM certificate/],
    ['a broken certificate', () => ({ certPem: broken(ours.certPem), keyPem: ours.keyPem }), /certPem.*cannot be read/],
  ])("is the prober's own failure, which names it: %s", async (_, certificate, sentence) => {
    const result = await shown(certificate());
    expect(result.failure).toMatchObject({ reason: 'prober_fault', source: 'prober' });
    expect(result.failure?.message).toMatch(sentence);
    expect(result.failure?.message).not.toContain('BEGIN');
    expect(result.phases.tcp).toBeNull();
  });
});
