import { createHash } from 'node:crypto';
import type { Staple } from '#contract/result.ts';
import { instantOf } from './certificate.ts';
import { readOcsp, type StapleVerdict } from './ocsp.ts';

/** A responder's clock may run ahead of ours by this much (ms). */
const SKEW_MS = 300_000;
/** No responder needs more (bytes); the ASN.1 of a stranger is not parsed beyond it. */
const MAX_STAPLE_BYTES = 65_536;
const KEPT = 256;

const verdicts = new Map<string, Promise<StapleVerdict>>();

/** The staple of a handshake that sent none. */
export function noStaple(status: Staple['status']): Staple {
  return { status, producedAt: null, thisUpdate: null, nextUpdate: null, bytes: 0 };
}

/**
 * Judges a stapled response for a leaf and its issuer (DER; null where the chain has none, and then nobody can vouch
 * for the response). Signatures are checked once for the same bytes, dates every time against `at`.
 */
export async function judgeStaple(
  response: Uint8Array,
  leaf: Uint8Array,
  issuer: Uint8Array | null,
  at: Date,
): Promise<Staple> {
  const bytes = response.length;
  if (bytes === 0 || bytes > MAX_STAPLE_BYTES) return { ...noStaple('malformed'), bytes };
  const verdict = await verdictOf(response, leaf, issuer);
  return {
    status: statusAt(verdict, at),
    producedAt: instantOf(verdict.producedAt),
    thisUpdate: instantOf(verdict.thisUpdate),
    nextUpdate: instantOf(verdict.nextUpdate),
    bytes,
  };
}

function verdictOf(response: Uint8Array, leaf: Uint8Array, issuer: Uint8Array | null): Promise<StapleVerdict> {
  const hash = createHash('sha256').update(response).update(leaf);
  const key = hash.update(issuer ?? '').digest('base64');
  const known = verdicts.get(key);
  if (known) return known;
  if (verdicts.size >= KEPT) verdicts.clear();
  const made = readOcsp(response, leaf, issuer);
  verdicts.set(key, made);
  return made;
}

/** A response that is out of date says nothing any more, whatever it said. */
function statusAt({ status, thisUpdate, nextUpdate }: StapleVerdict, at: Date): Staple['status'] {
  if (status !== 'good' && status !== 'revoked' && status !== 'unknown') return status;
  if (nextUpdate && nextUpdate.getTime() < at.getTime()) return 'stale';
  if (thisUpdate && thisUpdate.getTime() > at.getTime() + SKEW_MS) return 'invalid';
  return status;
}
