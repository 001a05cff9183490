import { X509Certificate } from 'node:crypto';
import { OctetString } from 'asn1js';
import fc from 'fast-check';
import * as pkijs from 'pkijs';
import { beforeAll, describe, expect, it } from 'vitest';
import { knownCertificate } from '#probe/certificate/certificate.ts';
import { toArrayBuffer } from '#probe/certificate/der.ts';
import { judgeStaple } from '#probe/certificate/staple.ts';
import {
  type Authority,
  createAuthority,
  createResponder,
  type Issued,
  issue,
  ocspFailure,
  ocspResponse,
  tampered,
} from '../../support/pki.ts';

const NOW = new Date();
const HOUR_MS = 3_600_000;
const ahead = (hours: number) => new Date(NOW.getTime() + hours * HOUR_MS);

let root: Authority;
let stranger: Authority;
let leaf: Issued;
let other: Issued;

beforeAll(async () => {
  root = await createAuthority({ name: 'Unit root', key: 'ec' });
  stranger = await createAuthority({ name: 'Unit root', key: 'ec' });
  leaf = await issue(root, { names: ['a.example'] });
  other = await issue(root, { names: ['b.example'] });
});

async function statusOf(response: Uint8Array, at = NOW): Promise<string> {
  const issuer = knownCertificate(new X509Certificate(root.certPem).raw);
  return judgeStaple(response, knownCertificate(leaf.der), issuer, at).status;
}

function basicOf(response: Buffer): pkijs.BasicOCSPResponse {
  const body = pkijs.OCSPResponse.fromBER(toArrayBuffer(response)).responseBytes?.response.valueBlock.valueHexView;
  return pkijs.BasicOCSPResponse.fromBER(toArrayBuffer(body ?? Buffer.alloc(0)));
}

async function singleOf(response: Buffer): Promise<pkijs.SingleResponse> {
  const [single] = basicOf(response).tbsResponseData.responses;
  if (!single) throw new Error('the response says nothing');
  return single;
}

/** One response of the root that says all of these. */
async function combined(responses: pkijs.SingleResponse[]): Promise<Buffer> {
  return resigned(await ocspResponse(root, leaf), 'SHA-256', responses);
}

/** The same response, or one that says these, signed by the root over a digest of this kind. */
async function resigned(
  bytes: Buffer,
  hash: string,
  responses = basicOf(bytes).tbsResponseData.responses,
): Promise<Buffer> {
  const response = pkijs.OCSPResponse.fromBER(toArrayBuffer(bytes));
  const basic = basicOf(bytes);
  basic.tbsResponseData.responses = responses;
  basic.tbsResponseData.tbsView = new Uint8Array();
  await basic.sign(root.privateKey, hash, new pkijs.CryptoEngine({ name: 'node', crypto: globalThis.crypto }));
  const valueHex = basic.toSchema().toBER(false);
  response.responseBytes = new pkijs.ResponseBytes({
    responseType: '1.3.6.1.5.5.7.48.1.1',
    response: new OctetString({ valueHex }),
  });
  return Buffer.from(response.toSchema().toBER(false));
}

describe('a stapled response', () => {
  it.each(['good', 'revoked', 'unknown'] as const)('says %s where it is signed and in date', async (status) => {
    expect(await statusOf(await ocspResponse(root, leaf, { status }))).toBe(status);
  });

  it('is stale from its next update on, even when it is known already', async () => {
    const response = await ocspResponse(root, leaf, { thisUpdate: ahead(-2), nextUpdate: ahead(2) });
    expect(await statusOf(response)).toBe('good');
    expect(await statusOf(response, ahead(3))).toBe('stale');
  });

  it('does not grow stale where it names no next update', async () => {
    expect(await statusOf(await ocspResponse(root, leaf, { nextUpdate: null }), ahead(1_000))).toBe('good');
  });

  it('is invalid when it is from the future', async () => {
    const response = await ocspResponse(root, leaf, { thisUpdate: ahead(2), nextUpdate: ahead(4) });
    expect(await statusOf(response)).toBe('invalid');
  });

  it('is invalid when a bit of its signature was turned', async () => {
    expect(await statusOf(tampered(await ocspResponse(root, leaf)))).toBe('invalid');
  });

  it('is invalid when it is about another certificate', async () => {
    expect(await statusOf(await ocspResponse(root, other))).toBe('invalid');
  });

  it('is invalid when another authority of the same name signed it', async () => {
    expect(await statusOf(await ocspResponse(root, leaf, { signer: stranger }))).toBe('invalid');
    expect(await statusOf(await ocspResponse(stranger, leaf))).toBe('invalid');
  });

  it('is good by a responder of the issuer, and invalid by one of a stranger', async () => {
    const own = await createResponder(root);
    const foreign = await createResponder(stranger);
    expect(await statusOf(await ocspResponse(root, leaf, { signer: own }))).toBe('good');
    expect(await statusOf(await ocspResponse(root, leaf, { signer: foreign }))).toBe('invalid');
  });

  it('is invalid by an ordinary certificate of the issuer that may not sign responses', async () => {
    const plain = await createAuthority({ name: 'Plain', key: 'ec', parent: root });
    expect(await statusOf(await ocspResponse(root, leaf, { signer: plain }))).toBe('invalid');
  });

  it('is unsuccessful when the responder says so', async () => {
    expect(await statusOf(ocspFailure(3))).toBe('unsuccessful');
  });

  it('is malformed when it is garbage, of any kind', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        expect(['malformed', 'unsuccessful']).toContain(await statusOf(bytes));
      }),
    );
  });

  it('is malformed when it is larger than any responder needs, or has bytes behind it', async () => {
    expect(await statusOf(Buffer.alloc(70_000, 0x30))).toBe('malformed');
    expect(await statusOf(Buffer.concat([await ocspResponse(root, leaf), Buffer.from([0])]))).toBe('malformed');
  });

  it('is invalid once the certificate of its signer has ended, and where its answer ends before it begins', async () => {
    const own = await createResponder(root);
    const response = await ocspResponse(root, leaf, { signer: own, nextUpdate: null });
    expect(await statusOf(response)).toBe('good');
    expect(await statusOf(response, ahead(24 * 366 * 20))).toBe('invalid');
    const backwards = await ocspResponse(root, leaf, { thisUpdate: ahead(-1), nextUpdate: ahead(-2) });
    expect(await statusOf(backwards, ahead(-3))).toBe('invalid');
  });

  it('says the worst where it says several things, and finds the leaf among others', async () => {
    const about = async (identity: Issued, status: 'good' | 'revoked' | 'unknown') =>
      singleOf(await ocspResponse(root, identity, { status }));
    const others = await about(other, 'revoked');
    expect(await statusOf(await combined([others, await about(leaf, 'good')]))).toBe('good');
    expect(await statusOf(await combined([await about(leaf, 'good'), await about(leaf, 'unknown')]))).toBe('unknown');
    expect(await statusOf(await combined([await about(leaf, 'good'), await about(leaf, 'revoked')]))).toBe('revoked');
  });

  it('is invalid where it asks for more than we know', async () => {
    const single = await singleOf(await ocspResponse(root, leaf));
    single.singleExtensions = [
      new pkijs.Extension({ extnID: '1.2.3.4', critical: true, extnValue: new Uint8Array([5, 0]).buffer }),
    ];
    expect(await statusOf(await combined([single]))).toBe('invalid');
  });

  it('is unverified where its certificate ID is hashed by an algorithm that is not known here', async () => {
    const single = await singleOf(await ocspResponse(root, leaf));
    single.certID.hashAlgorithm.algorithmId = '2.16.840.1.101.3.4.2.8'; // SHA3-256
    expect(await statusOf(await combined([single]))).toBe('unverified');
  });

  it.each(['SHA-1', 'SHA-384', 'SHA-512'])('is good where it is signed over %s', async (hash) => {
    const response = await resigned(await ocspResponse(root, leaf), hash);
    expect(await statusOf(response)).toBe('good');
    expect(await statusOf(tampered(response))).toBe('invalid');
  });

  it('survives a change of any one byte', async () => {
    const response = await ocspResponse(root, leaf);
    const place = fc.nat(response.length - 1);
    await fc.assert(
      fc.asyncProperty(place, fc.nat(255), async (at, value) => {
        const changed = Buffer.from(response);
        changed[at] = value;
        expect(await statusOf(changed)).toBeTypeOf('string');
      }),
      { numRuns: 60 },
    );
  });
});
