import { generateKeyPairSync, sign } from 'node:crypto';
import { BitString, OctetString } from 'asn1js';
import * as pkijs from 'pkijs';
import { ocspResponse } from '#demo/ocsp.ts';
import { type Authority, extension, type Issued, type KeyKind, keyUsage, OID, signer } from '#demo/pki.ts';

// Certificates and OCSP responses for tests: minted in memory, as the demo network mints its own.

export { type OcspOptions, ocspResponse } from '#demo/ocsp.ts';
export {
  type Authority,
  createAuthority,
  type Issued,
  type IssueOptions,
  issue,
  type KeyKind,
  restoreAuthority,
} from '#demo/pki.ts';

const engine = new pkijs.CryptoEngine({ name: 'node', crypto: globalThis.crypto });
const LIFETIME_MS = 320 * 86_400_000;
const NAME_CONSTRAINTS = '2.5.29.30';
const OCSP_SIGNING = '1.3.6.1.5.5.7.3.9';

/** A responder that the authority has authorised to sign OCSP responses in its place (RFC 6960, 4.2.2.2). */
export async function createResponder(authority: Authority, name = `${authority.name} OCSP`): Promise<Authority> {
  return signer(name, 'ec', authority, [
    extension(OID.basicConstraints, true, new pkijs.BasicConstraints({ cA: false }).toSchema()),
    keyUsage('leaf'),
    extension(OID.extKeyUsage, false, new pkijs.ExtKeyUsage({ keyPurposes: [OCSP_SIGNING] }).toSchema()),
  ]);
}

const EDWARDS_OID = { ed25519: '1.3.101.112', ed448: '1.3.101.113' } as const;

/**
 * A good response by a responder of the authority whose key is on an Edwards curve. `algorithm` is the identifier that it
 * gives its signature, by default the right one.
 */
export async function edwardsResponse(
  authority: Authority,
  leaf: Issued,
  kind: keyof typeof EDWARDS_OID,
  algorithm: string = EDWARDS_OID[kind],
): Promise<Buffer> {
  const { publicKey, privateKey } = kind === 'ed25519' ? generateKeyPairSync(kind) : generateKeyPairSync(kind);
  const spki = new Uint8Array(publicKey.export({ type: 'spki', format: 'der' })).buffer;
  const responder = await createResponder(authority);
  responder.certificate.subjectPublicKeyInfo = pkijs.PublicKeyInfo.fromBER(spki);
  await responder.certificate.sign(authority.privateKey, 'SHA-256', engine);
  const { response, basic } = opened(await ocspResponse(authority, leaf, { signer: responder }));
  basic.signatureAlgorithm = new pkijs.AlgorithmIdentifier({ algorithmId: algorithm });
  const signature = sign(null, Buffer.from(basic.tbsResponseData.tbsView), privateKey);
  basic.signature = new BitString({ valueHex: new Uint8Array(signature).buffer });
  response.responseBytes = new pkijs.ResponseBytes({
    responseType: '1.3.6.1.5.5.7.48.1.1',
    response: new OctetString({ valueHex: basic.toSchema().toBER(false) }),
  });
  return Buffer.from(response.toSchema().toBER(false));
}

function opened(bytes: Uint8Array): { response: pkijs.OCSPResponse; basic: pkijs.BasicOCSPResponse } {
  const response = pkijs.OCSPResponse.fromBER(new Uint8Array(bytes).buffer);
  const body = response.responseBytes?.response.valueBlock.valueHexView ?? new Uint8Array();
  return { response, basic: pkijs.BasicOCSPResponse.fromBER(new Uint8Array(body).buffer) };
}

/** An intermediate whose certificate its parent signed over this digest, and that may certify these names alone (or all but these). */
export async function intermediateWith(
  parent: Authority,
  { hash = 'SHA-256', key = 'ec', constraints = null, notAfter = null }: IntermediateOptions,
): Promise<Authority> {
  const subtrees = constraints && [
    new pkijs.GeneralSubtree({ base: new pkijs.GeneralName({ type: 2, value: constraints.name }) }),
  ];
  const made = await signer(`${parent.name} intermediate`, key, parent, [
    extension(OID.basicConstraints, true, new pkijs.BasicConstraints({ cA: true }).toSchema()),
    keyUsage('authority'),
    ...(constraints
      ? [extension(NAME_CONSTRAINTS, true, new pkijs.NameConstraints({ [constraints.kind]: subtrees }).toSchema())]
      : []),
  ]);
  if (notAfter) {
    made.certificate.notBefore.value = new Date(notAfter.getTime() - LIFETIME_MS);
    made.certificate.notAfter.value = notAfter;
  }
  await made.certificate.sign(parent.privateKey, hash, engine);
  const der = Buffer.from(made.certificate.toSchema().toBER()).toString('base64');
  return {
    ...made,
    certPem: `-----BEGIN CERTIFICATE-----\n${der.replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  };
}

type IntermediateOptions = {
  /** Its end after a lifetime of 320 days; ten years where left out. */
  notAfter?: Date | null;
  hash?: 'SHA-1' | 'SHA-256';
  key?: KeyKind;
  constraints?: { kind: 'permittedSubtrees' | 'excludedSubtrees'; name: string } | null;
};

/** A response without a body: `tryLater` is 3, `unauthorized` is 6 (RFC 6960, 4.2.1). */
export function ocspFailure(responseStatus: 1 | 2 | 3 | 5 | 6): Buffer {
  return Buffer.from([0x30, 0x03, 0x0a, 0x01, responseStatus]);
}

/** The same response with one bit of its signature turned. */
export function tampered(response: Uint8Array): Buffer {
  const signature = Buffer.from(opened(response).basic.signature.valueBlock.valueHexView);
  const copy = Buffer.from(response);
  const at = copy.indexOf(signature) + signature.length - 1;
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}
