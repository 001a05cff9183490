import { brotliCompressSync, constants } from 'node:zlib';
import type { SentChain } from '#contract/certificate.ts';
import { type KnownCertificate, knownCertificate } from './certificate.ts';

/** Within a few percent of the best, at a tenth of its cost: a chain is compressed once, while other probes may wait. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
/** Certificates of a chain that are looked at, and signatures checked to put them in order: they are untrusted input. */
const MAX_READ = 16;
const MAX_SIGNATURES = 24;

/**
 * A chain as it was sent, and what its certificates show by themselves. `path` leads from the leaf upwards, each
 * certificate issued by the next. `wastedBytes` are those of certificates that no client needs, `packedBytes` those that
 * brotli leaves of all.
 */
export type ChainReading = {
  /** The same for the same certificates in the same order, as long as this process lives. */
  key: number;
  length: number;
  bytes: number;
  certificates: KnownCertificate[];
  path: KnownCertificate[];
  problems: SentChain['problems'];
  wastedBytes: number;
  packedBytes: number;
};

/** The chains that came with a leaf, the newest last, while the leaf is known. */
const chainsByLeaf = new WeakMap<KnownCertificate, ChainReading[]>();
const MAX_CHAINS_A_LEAF = 8;
let lastKey = 0;

/** Reads a chain in the order in which it was sent, the leaf first; the same chain is read once. Null for an empty one. */
export function readChain(sent: Uint8Array[]): ChainReading | null {
  const certificates = sent.slice(0, MAX_READ).map((der) => knownCertificate(der));
  const [leaf] = certificates;
  if (!leaf) return null;
  const bytes = sent.reduce((sum, der) => sum + der.length, 0);
  const chains = chainsByLeaf.get(leaf) ?? [];
  const known = chains.find(
    (chain) => chain.length === sent.length && chain.bytes === bytes && sameList(chain.certificates, certificates),
  );
  if (known) return known;
  const reading = judgedChain(sent, bytes, certificates);
  chainsByLeaf.set(leaf, [...chains.slice(1 - MAX_CHAINS_A_LEAF), reading]);
  return reading;
}

/** The same bytes are one KnownCertificate, unless so many others came in between that it was forgotten. */
function sameList(some: KnownCertificate[], others: KnownCertificate[]): boolean {
  return some.length === others.length && some.every((each, at) => each === others[at]);
}

function judgedChain(sent: Uint8Array[], bytes: number, certificates: KnownCertificate[]): ChainReading {
  const { length } = sent;
  const unique = [...new Set(certificates)];
  const path = pathOf(unique);
  const extra = unique.filter((each) => !path.includes(each));
  const last = path.at(-1);
  const root = path.length > 1 && last?.selfIssued ? last : null;
  const problems: SentChain['problems'] = [];
  if (!inOrder(unique, path)) problems.push('wrong_order');
  if (extra.length > 0) problems.push('extra_certificates');
  if (unique.length < certificates.length) problems.push('duplicate_certificates');
  if (root) problems.push('root_sent');
  const needed = path.reduce((sum, { der }) => sum + der.length, 0) - (root?.der.length ?? 0);
  lastKey += 1;
  const packedBytes = brotliCompressSync(Buffer.concat(sent), BROTLI).length;
  return { key: lastKey, length, bytes, certificates, path, problems, wastedBytes: bytes - needed, packedBytes };
}

/** Follows names and signatures from the leaf up to a certificate whose issuer is not among them. */
function pathOf(unique: KnownCertificate[]): KnownCertificate[] {
  const path = unique.slice(0, 1);
  const budget = { signatures: MAX_SIGNATURES };
  for (let below = path[0]; below && !below.selfIssued; ) {
    const child: KnownCertificate = below;
    below = unique.find((candidate) => !path.includes(candidate) && issuedBy(child, candidate, budget));
    if (below) path.push(below);
  }
  return path;
}

/** Whether `issuer` made the certificate: by its name and key identifier, and by the signature. */
export function issuedBy(child: KnownCertificate, issuer: KnownCertificate, budget = { signatures: 1 }): boolean {
  if (!child.x509 || !issuer.x509) return false;
  try {
    if (!child.x509.checkIssued(issuer.x509) || budget.signatures-- <= 0) return false;
    return child.x509.verify(issuer.x509.publicKey);
  } catch {
    return false;
  }
}

function inOrder(unique: KnownCertificate[], path: KnownCertificate[]): boolean {
  const indices = path.map((each) => unique.indexOf(each));
  return indices.every((index, at) => at === 0 || index > (indices[at - 1] ?? 0));
}
