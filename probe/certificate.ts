import type { X509Certificate } from 'node:crypto';
import type { Certificate } from '#contract/result.ts';
import { ParsedCertificate } from './pkix.ts';
import type { SentChain } from './wire/certificates.ts';

/** What a certificate says by itself, whoever sent it. */
export type LeafFacts = Omit<Certificate, 'chainLength' | 'chainBytes' | 'verified' | 'verifyError'>;

const CURVE_BITS: Record<string, number> = { prime256v1: 256, secp384r1: 384, secp521r1: 521, secp256k1: 256 };
const KEPT = 256;
const known = new Map<string, LeafFacts>();

/** Reads a leaf; the same certificate is read once. */
export function leafFactsOf(leaf: X509Certificate): LeafFacts {
  const sha256 = leaf.fingerprint256.replaceAll(':', '').toLowerCase();
  const facts = known.get(sha256) ?? readFacts(leaf, sha256);
  if (known.size >= KEPT) known.clear();
  known.set(sha256, facts);
  return facts;
}

function readFacts(leaf: X509Certificate, sha256: string): LeafFacts {
  return {
    subject: oneLine(leaf.subject),
    issuer: oneLine(leaf.issuer),
    notBefore: instantOf(leaf.validFromDate),
    notAfter: instantOf(leaf.validToDate),
    sha256,
    ...keyOf(leaf),
    names: namesOf(leaf.subjectAltName ?? ''),
    mustStaple: ParsedCertificate.of(leaf.raw)?.mustStaple ?? false,
    ocspUrl: /OCSP - URI:([^\n]+)/.exec(leaf.infoAccess ?? '')?.[1]?.slice(0, 2_000) ?? null,
  };
}

/** The chain as the wire showed it (TLS 1.2), else as it was verified, without the root that servers don't send. */
export function chainOf(leaf: X509Certificate, sent: SentChain | null): SentChain {
  if (sent) return sent;
  const chain: SentChain = { length: 1, bytes: leaf.raw.length };
  let issuer = leaf.issuerCertificate;
  while (issuer && issuer.subject !== issuer.issuer && chain.length < 16) {
    chain.length += 1;
    chain.bytes += issuer.raw.length;
    issuer = issuer.issuerCertificate;
  }
  return chain;
}

function keyOf(leaf: X509Certificate): { keyType: string; keyBits: number | null } {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails: details } = leaf.publicKey;
    const bits = details?.modulusLength ?? CURVE_BITS[details?.namedCurve ?? ''] ?? null;
    const edwards = asymmetricKeyType === 'ed25519' ? 256 : asymmetricKeyType === 'ed448' ? 456 : null;
    return { keyType: (asymmetricKeyType ?? 'unknown').slice(0, 32), keyBits: bits ?? edwards };
  } catch {
    return { keyType: 'unknown', keyBits: null };
  }
}

/** Node quotes a name that holds a comma or a quote; all others stand as they are. */
function namesOf(subjectAltName: string): string[] {
  const names: string[] = [];
  for (const match of subjectAltName.matchAll(/(?:^|, )(?:DNS|IP Address|URI|email):("(?:[^"\\]|\\.)*"|[^,]*)/g)) {
    const name = match[1] ?? '';
    if (names.length < 1_000) names.push(name.slice(0, 256));
  }
  return names;
}

function oneLine(name: string): string {
  return name.replaceAll('\n', ', ').slice(0, 2_000);
}

/** RFC 3339, or null for dates that no calendar has or that lie outside of four-digit years. */
export function instantOf(date: Date | null | undefined): string | null {
  if (!date || Number.isNaN(date.getTime())) return null;
  const text = date.toISOString();
  return text.length === 24 ? text : null;
}
