import type { Line } from './line.ts';
import type { Group, Roster } from './roster.ts';

/** A pooled alert needs so many vantages, and together more evidence than the choice of them out of all explains. */
const LEAST_VANTAGES = 3;
const POOLED_ALERT_AT = 15;
/** A line takes part with at least one sample that exceeds on a line that seldom does. */
const LEAST_EVIDENCE = 5;
/** A sample is news for so many periods. */
const FRESH_PERIODS = 1.5;
/** A run that began longer ago than both is not part of a beginning; seconds, periods. */
const YOUNG = 300;
const YOUNG_PERIODS = 3;

/**
 * The lines of a group that together show a spike which each of them alone does not show yet: at least three vantages
 * whose newest sample exceeded, such that their summed evidence, less the logarithm of the number of ways to choose as
 * many vantages of the group (a scan statistic's price), is enough.
 */
export function pooledSpike(roster: Roster, group: Group, now: number): number[] {
  const fresh = group.lines.filter((index) => isFresh(roster.at(index), now));
  const showing = fresh.filter((index) => {
    const { tls } = roster.at(index);
    // Only what began together is one event: a line with an odd sample does not join an old one.
    const young = now - tls.spike.runStart <= Math.max(YOUNG, YOUNG_PERIODS * roster.at(index).period);
    return young && mayBePooled(roster.at(index));
  });
  const vantages = new Map<string, number>();
  for (const index of showing) {
    const line = roster.at(index);
    const key = vantageOf(line);
    vantages.set(key, Math.max(vantages.get(key) ?? 0, Math.min(line.tls.spike.evidence, 14)));
  }
  if (vantages.size < LEAST_VANTAGES) return [];
  const all = new Set(fresh.map((index) => vantageOf(roster.at(index)))).size;
  let evidence = -logChoose(all, vantages.size);
  for (const value of vantages.values()) evidence += value;
  if (evidence < POOLED_ALERT_AT) return [];
  return showing.filter((index) => !roster.at(index).tls.spike.open);
}

/** Whether a line's newest sample is one that may count. */
export function mayBePooled({ tls }: Line): boolean {
  return tls.lastExceeded && tls.spike.evidence >= LEAST_EVIDENCE;
}

/** Lines with news that may be part of one shift; see `agreeing`. */
export type Candidate = { index: number; effect: number; onset: number };

/** How far the onsets of one event, as single lines date it, lie apart; seconds. */
const SAME_ONSET = 150 * 60;
const LEAST_SHARE = 0.5;

/** The candidates of a group that confirm each other: three vantages, half of the group, one direction, one onset. */
export function agreeing(roster: Roster, group: Group, candidates: ReadonlyMap<number, Candidate>): Candidate[] {
  const members = group.lines.flatMap((index) => candidates.get(index) ?? []);
  const confirmed = members.filter((one) => {
    const along = members.filter((other) => isAlong(one, other));
    // At one vantage several targets confirm each other; elsewhere several vantages do.
    const apart = new Set(along.map(({ index }) => (group.kind === 'vantage' ? index : vantageOf(roster.at(index)))));
    return apart.size >= LEAST_VANTAGES && along.length >= LEAST_SHARE * group.lines.length;
  });
  return confirmed;
}

function isAlong(one: Candidate, other: Candidate): boolean {
  return Math.sign(one.effect) === Math.sign(other.effect) && Math.abs(one.onset - other.onset) <= SAME_ONSET;
}

export function vantageOf({ series }: Line): string {
  return `${series.province}/${series.carrier}`;
}

function isFresh(line: Line, now: number): boolean {
  return now - line.last <= Math.max(60, FRESH_PERIODS * line.period);
}

/** Natural logarithm of the binomial coefficient. */
function logChoose(n: number, k: number): number {
  let sum = 0;
  for (let step = 1; step <= k; step++) sum += Math.log((n - k + step) / step);
  return sum;
}
