import { createServer } from 'node:tls';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type Authority,
  createAuthority,
  createResponder,
  edwardsResponse,
  type Issued,
  issue,
  ocspFailure,
  ocspResponse,
  tampered,
} from '../support/pki.ts';
import { type Listening, listen, probe } from '../support/probing.ts';

const HOUR_MS = 3_600_000;
let root: Authority;
let leaf: Issued;
let server: Listening | null = null;

beforeAll(async () => {
  root = await createAuthority({ name: 'Staple root', key: 'rsa' });
  leaf = await issue(root, { names: ['localhost'], ocspUrl: 'http://ocsp.example/', key: 'rsa2048' });
});

afterEach(() => server?.close());

const stranger = () => createAuthority({ name: 'Staple stranger', key: 'ec' });

async function stapleOf(identity: Issued, response: Buffer | null, verify = true) {
  const tls = createServer({ key: identity.keyPem, cert: identity.chainPem });
  tls.on('OCSPRequest', (_certificate, _issuer, callback) => callback(null, response ?? Buffer.alloc(0)));
  if (!response) tls.removeAllListeners('OCSPRequest');
  tls.on('tlsClientError', () => {});
  server = await listen(tls);
  const { result } = await probe(server.url, { settings: { caPem: root.certPem, http: false, verify } });
  return result;
}

describe('the staple of a real handshake', () => {
  it('is good when its issuer signed it and it is in date', async () => {
    const result = await stapleOf(leaf, await ocspResponse(root, leaf));
    expect(result.tls?.staple).toMatchObject({ status: 'good', nextUpdate: expect.any(String) });
    expect(result.findings.filter(({ code }) => code.includes('staple'))).toEqual([]);
  });

  it('is good when a responder of the issuer signed it', async () => {
    const signer = await createResponder(root);
    const result = await stapleOf(leaf, await ocspResponse(root, leaf, { signer }));
    expect(result.tls?.staple.status).toBe('good');
  });

  it.each(['ed25519', 'ed448'] as const)(
    'is good when it is signed with %s, and invalid when that is wrong',
    async (kind) => {
      const response = await edwardsResponse(root, leaf, kind);
      expect((await stapleOf(leaf, response)).tls?.staple).toMatchObject({ status: 'good', bytes: response.length });
      await server?.close();
      expect((await stapleOf(leaf, tampered(response))).tls?.staple.status).toBe('invalid');
    },
  );

  it('is unverified where it is signed with an algorithm that is not known here, which is no fault of the server', async () => {
    const demanding = await issue(root, { names: ['localhost'], ocspUrl: 'http://ocsp.example/', mustStaple: true });
    const mlDsa44 = '2.16.840.1.101.3.4.3.17';
    const result = await stapleOf(demanding, await edwardsResponse(root, demanding, 'ed25519', mlDsa44));
    const why = expect.stringContaining(mlDsa44);
    expect(result).toMatchObject({ ok: true, tls: { staple: { status: 'unverified', why } } });
    expect(result.findings.filter(({ code }) => code.includes('staple'))).toEqual([]);
  });

  it('is unverified where its issuer is neither sent nor among the roots', async () => {
    const response = await ocspResponse(root, leaf);
    const tls = createServer({ key: leaf.keyPem, cert: leaf.chainPem });
    tls.on('OCSPRequest', (_certificate, _issuer, callback) => callback(null, response));
    server = await listen(tls);
    const { result } = await probe(server.url, { settings: { http: false, verify: false } });
    const why = expect.stringContaining('issuer');
    expect(result).toMatchObject({ ok: true, tls: { staple: { status: 'unverified', why } } });
  });

  it('is stale when its next update has passed', async () => {
    const response = await ocspResponse(root, leaf, {
      thisUpdate: new Date(Date.now() - 48 * HOUR_MS),
      nextUpdate: new Date(Date.now() - 24 * HOUR_MS),
    });
    const result = await stapleOf(leaf, response);
    expect(result).toMatchObject({ ok: true, tls: { staple: { status: 'stale' } } });
    expect(result.findings.map(({ code }) => code)).toContain('staple_stale');
  });

  it('is unknown, or unsuccessful, when that is what the responder says', async () => {
    const unknown = await stapleOf(leaf, await ocspResponse(root, leaf, { status: 'unknown' }));
    expect(unknown).toMatchObject({ ok: true, tls: { staple: { status: 'unknown' } } });
    await server?.close();
    const refusing = await stapleOf(leaf, ocspFailure(3));
    expect(refusing.tls?.staple).toMatchObject({ status: 'unsuccessful', thisUpdate: null, bytes: 5 });
  });

  it.each([
    ['about another certificate', async () => ocspResponse(root, await issue(root, { names: ['other.example'] }))],
    ['signed by a stranger', async () => ocspResponse(root, leaf, { signer: await stranger() })],
    ['changed on the way', async () => tampered(await ocspResponse(root, leaf))],
    ['of tomorrow', async () => ocspResponse(root, leaf, { thisUpdate: new Date(Date.now() + 24 * HOUR_MS) })],
  ])('is invalid when it is %s', async (_, response) => {
    const result = await stapleOf(leaf, await response());
    expect(result).toMatchObject({ ok: true, tls: { staple: { status: 'invalid' } } });
    expect(result.findings.map(({ code }) => code)).toContain('staple_invalid');
  });

  it('is malformed when it is garbage, which Node lets pass', async () => {
    const result = await stapleOf(leaf, Buffer.from('garb'));
    expect(result.tls?.staple).toMatchObject({ status: 'malformed', bytes: 4 });
  });

  it('is missing where the certificate names a responder, and not applicable where it names none', async () => {
    const missing = await stapleOf(leaf, null);
    expect(missing.tls?.staple.status).toBe('missing');
    await server?.close();
    const plain = await issue(root, { names: ['localhost'] });
    expect((await stapleOf(plain, null)).tls?.staple.status).toBe('not_applicable');
  });

  it('is a broken promise where the certificate demands one', async () => {
    const demanding = await issue(root, { names: ['localhost'], ocspUrl: 'http://ocsp.example/', mustStaple: true });
    const result = await stapleOf(demanding, null);
    expect(result.tls?.certificate?.mustStaple).toBe(true);
    expect(result.findings).toContainEqual(
      expect.objectContaining({ code: 'must_staple_violated', severity: 'critical' }),
    );
  });

  it('fails the probe when it says revoked', async () => {
    const response = await ocspResponse(root, leaf, { status: 'revoked' });
    const result = await stapleOf(leaf, response);
    expect(result.failure).toMatchObject({ phase: 'tls', reason: 'cert_revoked' });
  });
});
