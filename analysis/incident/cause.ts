import type { Cause, ExcessPart } from '#contract/explanation.ts';
import type { ExplainedMetric, Shares } from './shares.ts';

/** What each part says about the cause; null: nothing. */
const CAUSE_OF: Record<ExcessPart, Cause | null> = {
  round_trips: 'tls',
  resumption: 'tls',
  hello_retry: 'tls',
  staple: 'tls',
  handshake_work: 'tls',
  loss: 'network',
  syn_loss: 'network',
  path: 'network',
  server_work: 'server',
  own_delay: null,
  other: null,
};

/** A cause is decided by at least this share of the excess; a reported cause is replaced from `DECISIVE_AGAIN` on. */
const DECISIVE = 0.5;
const DECISIVE_AGAIN = 0.65;
/** Connections whose SYN is repeated are of the path from this share on, more than before, and so many. */
const SYN_SHARE = 0.15;
const SYN_LEAST = 2;

/**
 * The cause that the shares decide on; null where none does, or where too much of it is the prober's own delay. `reported`: what
 * measurements said before, which takes more to be corrected.
 */
export function causeOfShares(metric: ExplainedMetric, shares: Shares, reported: Cause | null = null): Cause | null {
  const sums = new Map<Cause, number>();
  for (const [code, ms] of Object.entries(shares.parts) as [ExcessPart, number][]) {
    const cause = CAUSE_OF[code];
    if (cause) sums.set(cause, (sums.get(cause) ?? 0) + ms / shares.excessMs);
  }
  const [first] = [...sums].sort((a, b) => b[1] - a[1]);
  if (first && first[1] >= (reported === null || reported === first[0] ? DECISIVE : DECISIVE_AGAIN)) return first[0];
  const { before, after, count } = shares.synRepeated;
  if (metric !== 'firstByte' && count >= SYN_LEAST && after - before >= SYN_SHARE) return 'network';
  return reported;
}
