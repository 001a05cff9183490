/**
 * Certificates: what each says by itself (this file, pkix.ts), which were sent and in what order (sent-chain.ts), who
 * issued them (issuer.ts), whether they prove the server's identity (identity.ts, host-names.ts) and what a stapled OCSP response about
 * them is worth (staple.ts, ocsp.ts, der.ts). Everything is cached by its bytes: a prober meets the same few for ever.
 * client-identity.ts reads our own certificate, throwaway-identity.ts makes one for the warm-up's server.
 */
import { X509Certificate } from 'node:crypto';
import { type Certificate, type ChainCertificate, MAX_NAMES } from '#contract/certificate.ts';
import { BytesCache, sha256Of } from '../bounded-cache.ts';
import { fitting } from '../format.ts';
import { hostsOf, nameFor } from './host-names.ts';
import { ParsedCertificate } from './pkix.ts';

/** What a certificate says by itself, independent of its sender. */
export type LeafFacts = Omit<
  Certificate,
  'chainLength' | 'chainBytes' | 'verified' | 'verifyError' | 'signature' | 'sent'
>;

/** A certificate that was read: `x509` is null where OpenSSL can't read it. `namesIssuer`: it says where its issuer's is. */
export type KnownCertificate = {
  der: Buffer;
  sha256: string;
  x509: X509Certificate | null;
  selfIssued: boolean;
  namesIssuer: boolean;
  facts: LeafFacts;
};

const CURVE_BITS: Record<string, number> = { prime256v1: 256, secp384r1: 384, secp521r1: 521, secp256k1: 256 };
const known = new BytesCache<KnownCertificate>(512);

/** Reads a certificate (DER); the same bytes are read once. Never throws. */
export function knownCertificate(der: Uint8Array): KnownCertificate {
  return known.get(der, (own) => readCertificate(own, sha256Of(own)));
}

/** How a certificate stands in the list of a chain. */
export function chainEntryOf({ der, facts }: KnownCertificate): ChainCertificate {
  const { subject, issuer, notBefore, notAfter, sha256, keyType, keyBits } = facts;
  return { subject, issuer, notBefore, notAfter, sha256, keyType, keyBits, bytes: der.length };
}

function readCertificate(der: Buffer, sha256: string): KnownCertificate {
  const x509 = opened(der);
  const parsed = ParsedCertificate.of(der);
  const access = x509?.infoAccess ?? '';
  const facts: LeafFacts = {
    subject: oneLine(x509?.subject),
    issuer: oneLine(x509?.issuer),
    notBefore: instantOf(x509?.validFromDate),
    notAfter: instantOf(x509?.validToDate),
    sha256,
    ...keyOf(x509),
    ...namesOf(x509 ? hostsOf(x509) : []),
    mustStaple: parsed?.mustStaple ?? false,
    ocspUrl: ocspUrlOf(access),
  };
  const selfIssued = x509 !== null && x509.subject === x509.issuer && x509.checkIssued(x509);
  return { der, sha256, x509, selfIssued, namesIssuer: /^CA Issuers - /m.test(access), facts };
}

function opened(der: Buffer): X509Certificate | null {
  try {
    return new X509Certificate(der);
  } catch {
    return null;
  }
}

function keyOf(x509: X509Certificate | null): { keyType: string; keyBits: number | null } {
  try {
    const key = x509?.publicKey;
    const details = key?.asymmetricKeyDetails;
    const bits = details?.modulusLength ?? CURVE_BITS[details?.namedCurve ?? ''] ?? null;
    const type = key?.asymmetricKeyType;
    const edwards = type === 'ed25519' ? 256 : type === 'ed448' ? 456 : null;
    return { keyType: (type ?? 'unknown').slice(0, 32), keyBits: bits ?? edwards };
  } catch {
    return { keyType: 'unknown', keyBits: null };
  }
}

/** Of more than MAX_NAMES the total is given. */
function namesOf(hosts: string[]): Pick<Certificate, 'names' | 'namesTotal'> {
  const names = hosts.slice(0, MAX_NAMES).map(shownName);
  return hosts.length > MAX_NAMES ? { names, namesTotal: hosts.length } : { names };
}

const shownName = (name: string) => fitting(visible(name), 256);

/** Where not all names are kept, the one that stands for `host` replaces the last. */
export function withMatchingName(
  { names, namesTotal }: LeafFacts,
  x509: X509Certificate | null,
  host: string,
): string[] {
  if (namesTotal === undefined) return names;
  const matching = x509 && nameFor(x509, host);
  if (!matching || names.includes(shownName(matching))) return names;
  return [...names.slice(0, -1), shownName(matching)];
}

/** The first responder that is named, however odd; null for none. */
function ocspUrlOf(infoAccess: string): string | null {
  const match = /^OCSP - URI:(?:"((?:[^"\\]|\\.)*)"|(.*))$/m.exec(infoAccess);
  const url = match?.[1] ?? match?.[2];
  return url === undefined ? null : fitting(visible(url), 2_000);
}

function oneLine(name: string | undefined): string {
  return fitting(visible((name ?? '').replaceAll('\n', ', ')), 2_000);
}

/** Control characters as `\u0000`: a database takes no NUL, and a terminal obeys some of the others. */
function visible(text: string): string {
  return text.replace(/\p{Cc}/gu, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** RFC 3339, or null for dates that no calendar has or that lie outside of the years 1 to 9999. */
export function instantOf(date: Date | null | undefined): string | null {
  if (!date || Number.isNaN(date.getTime())) return null;
  const year = date.getUTCFullYear();
  return year >= 1 && year <= 9_999 ? date.toISOString() : null;
}
