import { createHash } from 'node:crypto';
import { BasicOCSPResponse, type Certificate, CryptoEngine, OCSPResponse, type SingleResponse } from 'pkijs';
import type { Staple } from '#contract/certificate.ts';
import { isOneElement, sameBytes, toArrayBuffer } from './der.ts';
import { ParsedCertificate } from './pkix.ts';

/** What a response says of the leaf before dates are looked at. */
export type StapleVerdict = {
  status: Staple['status'];
  producedAt: Date | null;
  thisUpdate: Date | null;
  nextUpdate: Date | null;
  /** When the certificate of a delegated responder expires; null where the issuer itself signed. */
  signerUntil: Date | null;
};

const BASIC_RESPONSE_OID = '1.3.6.1.5.5.7.48.1.1';
const DIGESTS: Record<string, string> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};
/** The tags of CertStatus (RFC 6960, section 4.2.1). */
const STATUSES = ['good', 'revoked', 'unknown'] as const;
/** Certificates in a response that are tried as the responder's, and answers in it that are looked at. */
const MAX_RESPONDERS = 4;
const MAX_ANSWERS = 64;

const engine = new CryptoEngine({ name: 'node', crypto: globalThis.crypto });

/** Reads a response and checks that it is for this leaf and signed by its issuer or a responder that the issuer authorised. Never rejects. */
export async function readOcsp(
  response: Uint8Array,
  leaf: Uint8Array,
  issuer: Uint8Array | null,
): Promise<StapleVerdict> {
  if (!isOneElement(response)) return verdict('malformed');
  const outer = parsed(() => OCSPResponse.fromBER(toArrayBuffer(response)));
  if (!outer) return verdict('malformed');
  if (outer.responseStatus.valueBlock.valueDec !== 0) return verdict('unsuccessful');
  const body = outer.responseBytes;
  if (!body || body.responseType !== BASIC_RESPONSE_OID) return verdict('malformed');
  const basic = parsed(() => BasicOCSPResponse.fromBER(toArrayBuffer(body.response.valueBlock.valueHexView)));
  if (!basic) return verdict('malformed');
  const subject = ParsedCertificate.of(leaf);
  const authority = issuer ? ParsedCertificate.of(issuer) : null;
  try {
    return await judged(basic, subject, authority);
  } catch {
    return verdict('invalid', basic);
  }
}

async function judged(
  basic: BasicOCSPResponse,
  subject: ParsedCertificate | null,
  authority: ParsedCertificate | null,
): Promise<StapleVerdict> {
  if (!subject || !authority) return verdict('invalid', basic);
  const single = worstAbout(basic, subject, authority);
  if (!single || asksForMore(basic, single)) return verdict('invalid', basic, single);
  const signer = await authorisedSigner(basic, authority);
  const { thisUpdate, nextUpdate } = single;
  if (!signer || (nextUpdate && nextUpdate < thisUpdate)) return verdict('invalid', basic, single);
  return verdict(STATUSES[certStatusTag(single)] ?? 'malformed', basic, single, signer.until);
}

/** What it says of the leaf; where it says several things, the worst. */
function worstAbout(
  basic: BasicOCSPResponse,
  subject: ParsedCertificate,
  authority: ParsedCertificate,
): SingleResponse | undefined {
  const { responses } = basic.tbsResponseData;
  const about = responses.slice(0, MAX_ANSWERS).filter((each) => isAbout(each, subject, authority));
  return about.find((each) => STATUSES[certStatusTag(each)] === 'revoked') ?? about.find(isNotGood) ?? about[0];
}

function isNotGood(single: SingleResponse): boolean {
  return STATUSES[certStatusTag(single)] !== 'good';
}

/** A critical extension says that who does not know it must not rely on the response; we know none. */
function asksForMore({ tbsResponseData }: BasicOCSPResponse, single: SingleResponse): boolean {
  const extensions = [...(tbsResponseData.responseExtensions ?? []), ...(single.singleExtensions ?? [])];
  return extensions.some(({ critical }) => critical);
}

/** The certID names the leaf's serial number, and its issuer by the hashes of name and key. */
function isAbout(single: SingleResponse, { certificate }: ParsedCertificate, authority: ParsedCertificate): boolean {
  const { hashAlgorithm, issuerNameHash, issuerKeyHash, serialNumber } = single.certID;
  const digest = DIGESTS[hashAlgorithm.algorithmId];
  if (!digest) return false;
  const issuer = authority.certificate;
  const hash = (bytes: ArrayBuffer | Uint8Array) => createHash(digest).update(new Uint8Array(bytes)).digest();
  const key = issuer.subjectPublicKeyInfo.subjectPublicKey.valueBlock.valueHexView;
  return (
    sameBytes(serialNumber.valueBlock.valueHexView, certificate.serialNumber.valueBlock.valueHexView) &&
    sameBytes(issuerNameHash.valueBlock.valueHexView, hash(issuer.subject.toSchema().toBER(false))) &&
    sameBytes(issuerKeyHash.valueBlock.valueHexView, hash(key))
  );
}

/**
 * Who signed it: the issuer itself (`until` is null), or a certificate in the response that the issuer made for signing
 * responses. Null where it was neither.
 */
async function authorisedSigner(
  basic: BasicOCSPResponse,
  authority: ParsedCertificate,
): Promise<{ until: Date | null } | null> {
  if (await signedBy(basic, authority.certificate)) return { until: null };
  for (const candidate of (basic.certs ?? []).slice(0, MAX_RESPONDERS)) {
    const responder = ParsedCertificate.of(new Uint8Array(candidate.toSchema().toBER(false)));
    if (!responder?.signsOcsp || !validAt(candidate, basic.tbsResponseData.producedAt)) continue;
    if ((await issuedBy(candidate, authority.certificate)) && (await signedBy(basic, candidate))) {
      return { until: candidate.notAfter.value };
    }
  }
  return null;
}

function signedBy(basic: BasicOCSPResponse, signer: Certificate): Promise<boolean> {
  return engine
    .verifyWithPublicKey(
      toArrayBuffer(basic.tbsResponseData.tbsView),
      basic.signature,
      signer.subjectPublicKeyInfo,
      basic.signatureAlgorithm,
    )
    .catch(() => false);
}

function issuedBy(certificate: Certificate, issuer: Certificate): Promise<boolean> {
  return engine
    .verifyWithPublicKey(
      toArrayBuffer(certificate.tbsView),
      certificate.signatureValue,
      issuer.subjectPublicKeyInfo,
      certificate.signatureAlgorithm,
    )
    .catch(() => false);
}

function validAt({ notBefore, notAfter }: Certificate, at: Date): boolean {
  return notBefore.value.getTime() <= at.getTime() && at.getTime() <= notAfter.value.getTime();
}

function certStatusTag(single: SingleResponse): number {
  const tag: unknown = single.certStatus?.idBlock?.tagNumber;
  return typeof tag === 'number' ? tag : -1;
}

function verdict(
  status: Staple['status'],
  basic?: BasicOCSPResponse,
  single?: SingleResponse,
  signerUntil: Date | null = null,
): StapleVerdict {
  return {
    signerUntil,
    status,
    producedAt: basic?.tbsResponseData.producedAt ?? null,
    thisUpdate: single?.thisUpdate ?? null,
    nextUpdate: single?.nextUpdate ?? null,
  };
}

function parsed<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
