import type { Staple } from '#contract/result.ts';
import { BoundedCache, sha256Of } from './bounded-cache.ts';
import { instantOf, type KnownCertificate } from './certificate.ts';
import { readOcsp, type StapleVerdict } from './ocsp.ts';

/** A responder's clock may run ahead of ours by this much (ms). */
const SKEW_MS = 300_000;
/** No responder needs more (bytes); the ASN.1 of a stranger is not parsed beyond it. */
const MAX_STAPLE_BYTES = 65_536;

const verdicts = new BoundedCache<Promise<StapleVerdict>>(256);

/** The staple of a handshake that sent none. */
export function noStaple(status: Staple['status']): Staple {
  return { status, producedAt: null, thisUpdate: null, nextUpdate: null, bytes: 0 };
}

/**
 * Judges a stapled response for a leaf and its issuer (null where it is not known, and then nobody can vouch for the
 * response). Signatures are checked once for the same bytes, dates every time against `at`.
 */
export async function judgeStaple(
  response: Uint8Array,
  leaf: KnownCertificate,
  issuer: KnownCertificate | null,
  at: Date,
): Promise<Staple> {
  const bytes = response.length;
  if (bytes === 0 || bytes > MAX_STAPLE_BYTES) return { ...noStaple('malformed'), bytes };
  const key = `${sha256Of(response)}${leaf.sha256}${issuer?.sha256 ?? ''}`;
  const verdict = await verdicts.get(key, () => readOcsp(response, leaf.der, issuer?.der ?? null));
  return {
    status: statusAt(verdict, at),
    producedAt: instantOf(verdict.producedAt),
    thisUpdate: instantOf(verdict.thisUpdate),
    nextUpdate: instantOf(verdict.nextUpdate),
    bytes,
  };
}

/** A response that is out of date says nothing any more, whatever it said. */
function statusAt(
  { status, thisUpdate, nextUpdate, producedAt, signerUntil }: StapleVerdict,
  at: Date,
): Staple['status'] {
  if (status !== 'good' && status !== 'revoked' && status !== 'unknown') return status;
  if (nextUpdate && nextUpdate.getTime() < at.getTime()) return 'stale';
  const latest = Math.max(thisUpdate?.getTime() ?? 0, producedAt?.getTime() ?? 0);
  if (latest > at.getTime() + SKEW_MS || (signerUntil && signerUntil.getTime() < at.getTime())) return 'invalid';
  return status;
}
