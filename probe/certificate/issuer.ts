import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { BoundedCache } from '../bounded-cache.ts';
import { type KnownCertificate, knownCertificate } from './certificate.ts';
import { type ChainReading, issuedBy } from './sent-chain.ts';

/** The user's own roots, and which of them issued the certificates seen so far: a signature is checked once. */
type OwnRoots = { roots: KnownCertificate[]; issuers: Issuers };
type Issuers = BoundedCache<KnownCertificate | null>;

const rootsByPem = new BoundedCache<OwnRoots>(16);
const publicIssuers: Issuers = new BoundedCache(256);
let publicRoots: X509Certificate[] | null = null;

/**
 * Who signed the leaf: a certificate that came with it, the leaf itself, or one of the user's own roots. Null where
 * neither is known. (A public root that signs a leaf directly is not looked for: the rules for public issuers forbid it.)
 */
export function issuerOfLeaf({ path }: ChainReading, caPem: string | null): KnownCertificate | null {
  const [leaf, next] = path;
  if (next) return next;
  if (!leaf) return null;
  return leaf.selfIssued ? leaf : ownIssuer(leaf, caPem);
}

/**
 * Whether the server left out a certificate between those it sent and a trusted root. `trusted` is OpenSSL's word that
 * the chain reaches one. Where the issuer of the last certificate is unknown, the chain is called short only if that
 * certificate says where its issuer's is to be had, or if the leaf came alone and the user gave the roots: else its
 * issuer may as well be a root that is not trusted.
 */
export function lacksIntermediate({ path }: ChainReading, caPem: string | null, trusted: boolean): boolean {
  const last = path.at(-1);
  if (!last || last.selfIssued || !last.x509) return false;
  if (caPem === null) return !trusted && last.namesIssuer && !publicIssuer(last);
  const issuer = ownIssuer(last, caPem);
  if (issuer) return !issuer.selfIssued;
  return !trusted && (last.namesIssuer || path.length === 1);
}

/**
 * The intermediates of a verified chain that end before its leaf. The path ends where a trusted root issued a certificate,
 * as OpenSSL's does: what was sent beyond it (a root that another one signed) is not of it. Public roots are looked through
 * for such chains alone.
 */
export function endingBeforeLeaf({ path }: ChainReading, caPem: string | null): KnownCertificate[] {
  const [leaf, ...above] = path;
  const end = leaf?.facts.notAfter ?? '';
  const earlier = above.filter(({ facts }) => facts.notAfter !== null && facts.notAfter < end);
  if (earlier.length === 0) return [];
  const last = path.findIndex((each) => (caPem === null ? publicIssuer(each) : ownIssuer(each, caPem)) !== null);
  const verified = last < 0 ? path : path.slice(0, last + 1);
  return earlier.filter((each) => verified.includes(each));
}

function ownIssuer(last: KnownCertificate, caPem: string | null): KnownCertificate | null {
  if (caPem === null) return null;
  const { roots, issuers } = rootsByPem.get(caPem, () => ({ roots: rootsOf(caPem), issuers: new BoundedCache(256) }));
  return issuers.get(last.sha256, () => roots.find((root) => issuedBy(last, root)) ?? null);
}

function rootsOf(caPem: string): KnownCertificate[] {
  const pems = caPem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return pems.flatMap((pem) => pemCertificate(pem) ?? []).map((root) => knownCertificate(root.raw));
}

/** Looked for among the public roots, which are read (some 5 ms) when the first broken chain comes by. */
function publicIssuer(last: KnownCertificate): KnownCertificate | null {
  return publicIssuers.get(last.sha256, () => {
    publicRoots ??= rootCertificates.flatMap((pem) => pemCertificate(pem) ?? []);
    const named = publicRoots.filter((root) => last.x509?.checkIssued(root));
    return named.map((root) => knownCertificate(root.raw)).find((root) => issuedBy(last, root)) ?? null;
  });
}

function pemCertificate(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    // OpenSSL has left it out of the trusted roots too.
    return null;
  }
}
