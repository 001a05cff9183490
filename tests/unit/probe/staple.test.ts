import { X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { judgeStaple } from '#probe/staple.ts';
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
  const issuer = new X509Certificate(root.certPem).raw;
  return (await judgeStaple(response, leaf.der, issuer, at)).status;
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
