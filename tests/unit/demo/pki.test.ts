import { X509Certificate } from 'node:crypto';
import * as pkijs from 'pkijs';
import { describe, expect, it } from 'vitest';
import {
  createAuthority,
  createResponder,
  issue,
  ocspResponse,
  restoreAuthority,
  tampered,
} from '../../support/pki.ts';

const root = await createAuthority({ name: 'Test root', key: 'ec' });
const authority = await createAuthority({ name: 'Test authority', key: 'rsa', parent: root });
const leaf = await issue(authority, { names: ['a.test', '127.0.0.1', '::1'], ocspUrl: 'http://ocsp.test/' });

async function verified(response: Buffer): Promise<boolean> {
  const body = pkijs.OCSPResponse.fromBER(new Uint8Array(response).buffer).responseBytes?.response;
  const basic = pkijs.BasicOCSPResponse.fromBER(new Uint8Array(body?.valueBlock.valueHexView ?? []).buffer);
  const signer = basic.certs?.[0] ?? authority.certificate;
  const data = new Uint8Array(basic.tbsResponseData.tbsView);
  return new pkijs.CryptoEngine({ name: 'node', crypto }).verifyWithPublicKey(
    data,
    basic.signature,
    signer.subjectPublicKeyInfo,
    basic.signatureAlgorithm,
  );
}

describe('certificates minted for the demo and for tests', () => {
  it('chain up to their root and name their hosts', () => {
    const [certificate, above, top] = [leaf.certPem, authority.certPem, root.certPem].map(
      (pem) => new X509Certificate(pem),
    );
    expect(above && certificate?.checkIssued(above) && certificate.verify(above.publicKey)).toBe(true);
    expect(top && above?.checkIssued(top) && above.verify(top.publicKey)).toBe(true);
    expect(certificate?.subjectAltName).toBe('DNS:a.test, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1');
    expect(certificate?.infoAccess).toContain('http://ocsp.test/');
    expect(leaf.chainPem.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    expect(above?.ca).toBe(true);
    expect(certificate?.ca).toBe(false);
  });

  it('grow to the size asked for, and carry the dates asked for', async () => {
    const notAfter = new Date('2026-01-02T03:04:05Z');
    const big = await issue(authority, { names: ['b.test'], bloatBytes: 15_000, notAfter, mustStaple: true });
    expect(big.der.length).toBeGreaterThan(15_000);
    expect(big.der.length).toBeLessThan(17_000);
    expect(new X509Certificate(big.der).validToDate).toEqual(notAfter);
    expect(big.der.includes(Buffer.from('06082b06010505070118', 'hex'))).toBe(true);
  });

  it('sign themselves where no authority is given', async () => {
    const own = new X509Certificate((await issue(null, { names: ['self.test'] })).der);
    expect(own.issuer).toBe(own.subject);
    expect(own.verify(own.publicKey)).toBe(true);
  });

  it('come back from their PEM files able to sign', async () => {
    const again = await restoreAuthority(authority.certPem, authority.keyPem, root);
    const other = new X509Certificate((await issue(again, { names: ['c.test'] })).der);
    expect(again.name).toBe('Test authority');
    expect(other.verify(new X509Certificate(authority.certPem).publicKey)).toBe(true);
  });
});

describe('OCSP responses minted for the demo and for tests', () => {
  it('are signed by the authority or by its responder, and a turned bit shows', async () => {
    const good = await ocspResponse(authority, leaf);
    expect(await verified(good)).toBe(true);
    expect(await verified(tampered(good))).toBe(false);
    const signer = await createResponder(authority);
    expect(await verified(await ocspResponse(authority, leaf, { signer }))).toBe(true);
  });

  it('say good, revoked and unknown, and when', async () => {
    const nextUpdate = new Date('2026-01-02T03:04:05Z');
    for (const [status, tag] of [
      ['good', 0],
      ['revoked', 1],
      ['unknown', 2],
    ] as const) {
      const response = await ocspResponse(authority, leaf, { status, nextUpdate });
      const body = pkijs.OCSPResponse.fromBER(new Uint8Array(response).buffer).responseBytes?.response;
      const basic = pkijs.BasicOCSPResponse.fromBER(new Uint8Array(body?.valueBlock.valueHexView ?? []).buffer);
      const [single] = basic.tbsResponseData.responses;
      expect(single?.certStatus.idBlock.tagNumber).toBe(tag);
      expect(single?.nextUpdate).toEqual(nextUpdate);
    }
  });
});
