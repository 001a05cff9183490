import { getDiffieHellman } from 'node:crypto';
import { createServer, type TlsOptions } from 'node:tls';
import { Integer, Sequence } from 'asn1js';
import { beforeAll, describe, expect, it } from 'vitest';
import { VERDICTS } from '#probe/certificate/identity.ts';
import { type Authority, createAuthority, type Issued, intermediateWith, issue } from '../support/pki.ts';
import { forThisTest, listen, probe } from '../support/probing.ts';

const DAY_MS = 86_400_000;
const daysAhead = (days: number) => new Date(Date.now() + days * DAY_MS);
/** Servers of today's OpenSSL refuse their own weak keys unless they are told to have no scruples. */
const LAX = 'DEFAULT@SECLEVEL=0';
const names = ['localhost'];
let root: Authority;
let stranger: Authority;

beforeAll(async () => {
  root = await createAuthority({ name: 'Verdicts root', key: 'rsa' });
  stranger = await createAuthority({ name: 'Verdicts stranger', key: 'ec' });
});

/** What a real server with this identity is judged to be; the root is trusted unless others are. */
async function judged(identity: Issued, { caPem = root.certPem, ...options }: TlsOptions & { caPem?: string } = {}) {
  const server = createServer({ key: identity.keyPem, cert: identity.chainPem, ciphers: LAX, ...options });
  server.on('tlsClientError', () => {});
  const { url } = await forThisTest(listen(server));
  return (await probe(url, { settings: { caPem, http: false } })).result;
}

const below = async (options: Parameters<typeof intermediateWith>[1]) =>
  issue(await intermediateWith(root, options), { names });

/** Every verdict that has a row in the table, and a server that meets it. */
const SERVERS: Record<string, () => ReturnType<typeof judged>> = {
  CERT_HAS_EXPIRED: async () => judged(await issue(root, { names, notBefore: daysAhead(-9), notAfter: daysAhead(-1) })),
  CERT_NOT_YET_VALID: async () => judged(await issue(root, { names, notBefore: daysAhead(1) })),
  DEPTH_ZERO_SELF_SIGNED_CERT: async () => judged(await issue(null, { names })),
  SELF_SIGNED_CERT_IN_CHAIN: async () => {
    const leaf = await issue(stranger, { names });
    return judged({ ...leaf, chainPem: leaf.chainPem + stranger.certPem });
  },
  UNABLE_TO_GET_ISSUER_CERT: async () => {
    const intermediate = await intermediateWith(root, {});
    return judged(await issue(intermediate, { names }), { caPem: intermediate.certPem });
  },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: async () => judged(await issue(await intermediateWith(stranger, {}), { names })),
  'EE certificate key too weak': async () => judged(await issue(root, { names, key: 'rsa1024' })),
  'CA certificate key too weak': async () => judged(await below({ key: 'rsa1024' })),
  'CA signature digest algorithm too weak': async () => {
    const old = await createAuthority({ name: 'Verdicts old root', key: 'ec' });
    const leaf = await issue(await intermediateWith(old, { hash: 'SHA-1' }), { names });
    return judged(leaf, { caPem: old.certPem });
  },
  'permitted subtree violation': async () =>
    judged(await below({ constraints: { kind: 'permittedSubtrees', name: 'example.test' } })),
  'excluded subtree violation': async () =>
    judged(await below({ constraints: { kind: 'excludedSubtrees', name: 'localhost' } })),
};

describe("OpenSSL's verdict on a chain", () => {
  it('has a server below for each row of the table', () => {
    expect(Object.keys(SERVERS).sort()).toEqual(Object.keys(VERDICTS).sort());
  });

  it.each(Object.entries(SERVERS))('%s is told by its reason and in words', async (said, probed) => {
    const { reason, meaning } = VERDICTS[said] ?? {};
    const message = `${said}: ${meaning}`;
    const result = await probed();
    expect(result.failure).toMatchObject({ phase: 'tls', reason, source: 'target', message });
    expect(result.tls?.certificate).toMatchObject({ verified: false, verifyError: message });
  });

  it('that it signed itself has a reason of its own', async () => {
    const result = await judged(await issue(null, { names }));
    expect(result.failure).toMatchObject({ reason: 'cert_self_signed' });
  });

  it('that has no row is told in its own words', async () => {
    const result = await judged(await issue(root, { names, client: true }));
    expect(result.failure).toMatchObject({ reason: 'cert_invalid', message: expect.stringMatching(/purpose/) });
  });
});

describe('a server whose Diffie-Hellman parameters are too short', () => {
  it('is not blamed for its certificate, which is good', async () => {
    const group = getDiffieHellman('modp2'); // 1,024 bits
    const integers = [group.getPrime(), group.getGenerator()].map(
      (bytes) => new Integer({ valueHex: new Uint8Array([0, ...bytes]).buffer }),
    );
    const der = Buffer.from(new Sequence({ value: integers }).toBER(false)).toString('base64');
    const dhparam = `-----BEGIN DH PARAMETERS-----\n${der.replace(/.{64}(?=.)/g, '$&\n')}\n-----END DH PARAMETERS-----\n`;
    const leaf = await issue(root, { names, key: 'rsa2048' });
    const ciphers = 'DHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0';
    const { failure } = await judged(leaf, { dhparam, ciphers, maxVersion: 'TLSv1.2' });
    expect(failure).toMatchObject({ phase: 'tls', reason: 'tls_weak', source: 'target', message: 'dh key too small' });
  });
});
