import { createHash } from 'node:crypto';
import { BasicOCSPResponse, type Certificate, OCSPResponse, type SingleResponse } from 'pkijs';
import type { Staple } from '#contract/certificate.ts';
import { isOneElement, sameBytes, toArrayBuffer } from './der.ts';
import { ParsedCertificate } from './pkix.ts';
import { DIGESTS, signatureVerdict } from './signature.ts';

/** What a response says of the leaf before dates are looked at. */
export type StapleVerdict = {
  status: Staple['status'];
  /** Why it cannot be verified here, where it cannot: a sentence. */
  why: string | null;
  producedAt: Date | null;
  thisUpdate: Date | null;
  nextUpdate: Date | null;
  /** When the certificate of a delegated responder expires; null where the issuer itself signed. */
  signerUntil: Date | null;
};

const BASIC_RESPONSE_OID = '1.3.6.1.5.5.7.48.1.1';
/** The tags of CertStatus (RFC 6960, section 4.2.1). */
const STATUSES = ['good', 'revoked', 'unknown'] as const;
/** Certificates in a response that are tried as the responder's, and answers in it that are looked at. */
const MAX_RESPONDERS = 4;
const MAX_ANSWERS = 64;

/** Reads a response and checks that it is for this leaf and signed by its issuer or a responder that the issuer authorised. Never throws. */
export function readOcsp(response: Uint8Array, leaf: Uint8Array, issuer: Uint8Array | null): StapleVerdict {
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
    return judged(basic, subject, authority);
  } catch {
    return verdict('invalid', basic);
  }
}

function judged(
  basic: BasicOCSPResponse,
  subject: ParsedCertificate | null,
  authority: ParsedCertificate | null,
): StapleVerdict {
  if (!subject) return unverified('the certificate cannot be read', basic);
  if (!authority)
    return unverified('the issuer of the certificate was neither sent nor is it among the given roots', basic);
  const single = worstAbout(basic, subject, authority);
  if (!single) {
    const hash = basic.tbsResponseData.responses
      .map(({ certID }) => certID.hashAlgorithm.algorithmId)
      .find((oid) => !DIGESTS[oid]);
    return hash ? unverified(`hashes of the algorithm ${hash} are not known here`, basic) : verdict('invalid', basic);
  }
  if (asksForMore(basic, single)) return verdict('invalid', basic, single);
  const signer = authorisedSigner(basic, authority);
  const { thisUpdate, nextUpdate } = single;
  if (nextUpdate && nextUpdate < thisUpdate) return verdict('invalid', basic, single);
  if (typeof signer === 'string') return unverified(signer, basic, single);
  if (!signer) return verdict('invalid', basic, single);
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
 * responses. Null where it was neither, and a sentence where that cannot be told here.
 */
function authorisedSigner(
  basic: BasicOCSPResponse,
  authority: ParsedCertificate,
): { until: Date | null } | string | null {
  const response = {
    bytes: basic.tbsResponseData.tbsView,
    algorithm: basic.signatureAlgorithm,
    signature: basic.signature,
  };
  const byIssuer = signatureVerdict(response, authority.certificate);
  if (byIssuer === 'right') return { until: null };
  let why = byIssuer === 'wrong' ? null : byIssuer.unverified;
  for (const candidate of (basic.certs ?? []).slice(0, MAX_RESPONDERS)) {
    const responder = ParsedCertificate.of(new Uint8Array(candidate.toSchema().toBER(false)));
    if (!responder?.signsOcsp || !validAt(candidate, basic.tbsResponseData.producedAt)) continue;
    const { tbsView: bytes, signatureAlgorithm: algorithm, signatureValue: signature } = candidate;
    const verdicts = [
      signatureVerdict({ bytes, algorithm, signature }, authority.certificate),
      signatureVerdict(response, candidate),
    ];
    if (verdicts.includes('wrong')) continue;
    const unknown = verdicts.find((each) => typeof each === 'object');
    if (!unknown) return { until: candidate.notAfter.value };
    why ??= unknown.unverified;
  }
  return why;
}

function validAt({ notBefore, notAfter }: Certificate, at: Date): boolean {
  return notBefore.value.getTime() <= at.getTime() && at.getTime() <= notAfter.value.getTime();
}

function certStatusTag(single: SingleResponse): number {
  const tag: unknown = single.certStatus?.idBlock?.tagNumber;
  return typeof tag === 'number' ? tag : -1;
}

function unverified(why: string, basic: BasicOCSPResponse, single?: SingleResponse): StapleVerdict {
  return { ...verdict('unverified', basic, single), why };
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
    why: null,
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
