import type { Staple } from '#contract/certificate.ts';
import { BytesCache } from '../bounded-cache.ts';
import { fitting } from '../format.ts';
import { instantOf, type KnownCertificate } from './certificate.ts';
import { readOcsp, type StapleVerdict } from './ocsp.ts';

/** A responder's clock may run ahead of ours by this much (ms). */
const SKEW_MS = 300_000;
/** No responder needs more (bytes); untrusted ASN.1 is not parsed beyond it. */
const MAX_STAPLE_BYTES = 65_536;

/** A verdict, and its dates as they are written down. */
type DatedVerdict = StapleVerdict & { dates: Pick<Staple, 'producedAt' | 'thisUpdate' | 'nextUpdate'> };
type Judged = { issuer: KnownCertificate | null; verdict: DatedVerdict };

/** By leaf and response: a server repeats its response for days. */
const judgedByLeaf = new WeakMap<KnownCertificate, BytesCache<Judged>>();
const MAX_RESPONSES_A_LEAF = 16;

/** The staple of a handshake that sent none. */
export function noStaple(status: Staple['status']): Staple {
  return { status, producedAt: null, thisUpdate: null, nextUpdate: null, bytes: 0 };
}

/**
 * Judges a stapled response for a leaf and its issuer (null where it is not known, and then the response cannot be
 * verified). Signatures are checked once for the same bytes, dates every time against `at`.
 */
export function judgeStaple(
  response: Uint8Array,
  leaf: KnownCertificate,
  issuer: KnownCertificate | null,
  at: Date,
): Staple {
  const bytes = response.length;
  if (bytes === 0 || bytes > MAX_STAPLE_BYTES) return { ...noStaple('malformed'), bytes };
  const verdict = verdictOf(response, leaf, issuer);
  const why = verdict.why === null ? {} : { why: fitting(verdict.why, 500) };
  return { ...verdict.dates, status: statusAt(verdict, at), bytes, ...why };
}

function verdictOf(response: Uint8Array, leaf: KnownCertificate, issuer: KnownCertificate | null): DatedVerdict {
  let responses = judgedByLeaf.get(leaf);
  if (!responses) {
    responses = new BytesCache(MAX_RESPONSES_A_LEAF);
    judgedByLeaf.set(leaf, responses);
  }
  const judge = (): Judged => ({ issuer, verdict: readAndDated(response, leaf, issuer) });
  const judged = responses.get(response, judge);
  if (judged.issuer !== issuer) Object.assign(judged, judge());
  return judged.verdict;
}

function readAndDated(response: Uint8Array, leaf: KnownCertificate, issuer: KnownCertificate | null): DatedVerdict {
  const verdict = readOcsp(response, leaf.der, issuer?.der ?? null);
  const { producedAt, thisUpdate, nextUpdate } = verdict;
  const dates = {
    producedAt: instantOf(producedAt),
    thisUpdate: instantOf(thisUpdate),
    nextUpdate: instantOf(nextUpdate),
  };
  return { ...verdict, dates };
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
