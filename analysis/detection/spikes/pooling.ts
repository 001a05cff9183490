import { isOfThePath } from '../causes/causes.ts';
import { type Contrast, tlsMs } from '../causes/contrast.ts';
import { runOf } from '../monitor/cusum.ts';
import type { RefusalMonitor } from '../monitor/refusals.ts';
import {
  alikeRatio,
  cusumThreshold,
  leastRepeats,
  leastTogether,
  pooledEvidenceFloor,
  refusalEvidenceFloor,
  youngPeriods,
  youngSeconds,
} from '../parameters.ts';
import { type Group, memberKey, type SeriesGroups } from '../series/groups.ts';
import { contrastAt, type SeriesState } from '../series/series.ts';
import { medianOf } from '../statistics.ts';

/**
 * The series of a group that together show a spike which each of them alone does not show yet: at least three vantages,
 * or two members that each show it twice (`mayConfirm`), whose newest sample exceeded, such that their summed evidence, less the
 * logarithm of the number of ways to choose as many of the group (a scan statistic's price), is enough. A series of one sample takes
 * part where that is like the others'. None where they do not.
 */
export function pooledSpike(seriesGroups: SeriesGroups, group: Group, now: number): number[] {
  const fresh = group.members.filter((index) => isFresh(seriesGroups.at(index), now));
  const freshSeries = fresh.map((index) => seriesGroups.at(index));
  const showing = fresh.filter((index) => mayBePooled(seriesGroups.at(index)) && isYoung(seriesGroups.at(index), now));
  const isEnough = (some: number[]) =>
    isPooledAlert(
      group,
      freshSeries,
      some.map((index) => seriesGroups.at(index)),
    );
  if (showing.every((index) => isRaised(seriesGroups.at(index))) || !isEnough(showing)) return [];
  const alike = alikeMembers(seriesGroups, showing);
  return alike.length === showing.length || isEnough(alike) ? alike : [];
}

/** Whether a series' spike is open, and nothing has begun after it. */
const isRaised = ({ tls }: SeriesState) => tls.spike.open && tls.spike.again === undefined;

function isPooledAlert(group: Group, fresh: readonly SeriesState[], showing: readonly SeriesState[]): boolean {
  const evidenceOf = new Map<string, number>();
  for (const series of showing) {
    const key = memberKey(group, series);
    evidenceOf.set(key, Math.max(evidenceOf.get(key) ?? 0, runOf(series.tls.spike).evidence));
  }
  if (!mayConfirm(group, showing, evidenceOf.size)) return false;
  const all = new Set(fresh.map((series) => memberKey(group, series))).size;
  let evidence = -logChoose(all, evidenceOf.size);
  for (const value of evidenceOf.values()) evidence += value;
  return evidence >= cusumThreshold;
}

/**
 * Without series whose one sample is not what the others' middle is: lost segments come by chance in an incident too. Of a
 * pair each must be like the other, however many samples it has.
 */
function alikeMembers(seriesGroups: SeriesGroups, showing: number[]): number[] {
  const moved = new Map(
    showing.map((index) => [index, contrastAt(seriesGroups.at(index), runOf(seriesGroups.at(index).tls.spike).start)]),
  );
  return showing.filter((index) => {
    const own = moved.get(index);
    const isSure = showing.length > 2 && runOf(seriesGroups.at(index).tls.spike).exceeding >= leastRepeats;
    if (isSure || !own) return true;
    return isAlike(
      own,
      showing.flatMap((other) => (other === index ? [] : (moved.get(other) ?? []))),
    );
  });
}

/** By logarithms or by milliseconds, and with connect where that is what moved. */
function isAlike(own: Contrast, others: readonly Contrast[]): boolean {
  if (others.length === 0) return true;
  if (isOfThePath(others) && !isOfThePath([own])) return false;
  const isNear = (value: (contrast: Contrast) => number) => {
    const ratio = value(own) / medianOf(others.map(value));
    return ratio > 1 / alikeRatio && ratio < alikeRatio;
  };
  return isNear(({ tls }) => tls) || isNear(tlsMs);
}

/** Whether series of so many members of a group may confirm each other: many, or two that agree in more. */
function mayConfirm({ kind }: Group, showing: readonly SeriesState[], members: number): boolean {
  // One delay at a vantage is in the samples of all its targets at once.
  if (members >= leastTogether && kind !== 'vantage') return true;
  // What a carrier's series, or a vantage's, have in common is the path: unless connect moved as well, two agree by chance.
  const isLikely = kind === 'target' || showing.every(({ tls }) => tls.witnessed);
  return members >= 2 && isLikely && showing.every(({ tls }) => runOf(tls.spike).exceeding >= leastRepeats);
}

/** Only what began together is one event: a series with an odd sample does not join an old one. */
function isYoung({ tls, period }: SeriesState, now: number): boolean {
  return isRecent(runOf(tls.spike).start, period, now);
}

/** How old (seconds) what belongs to a beginning may be, of a series of this probe period. */
export const youngAge = (period: number) => Math.max(youngSeconds, youngPeriods * period);

const isRecent = (runStart: number, period: number, now: number) => now - runStart <= youngAge(period);

/** Whether a series' newest sample is one that may count. */
export function mayBePooled({ tls }: SeriesState): boolean {
  return tls.lastExceeded && runOf(tls.spike).evidence >= pooledEvidenceFloor;
}

function isFresh(series: SeriesState, now: number): boolean {
  return now - series.last <= youngAge(series.period);
}

/**
 * The same of refused sessions: vantages of one target at which more than usual are refused, the last one among them. No cause but
 * the server's has them refused together, so no more is asked than that they are so many.
 */
export function pooledRefusals(seriesGroups: SeriesGroups, group: Group, now: number): number[] {
  const fresh = group.members.filter((index) => isFresh(seriesGroups.at(index), now));
  const showing = fresh.filter((index) => {
    const { refused, period } = seriesGroups.at(index);
    return refused !== null && mayPoolRefusals(refused) && isRecent(refused.spike.runStart, period, now);
  });
  if (showing.length < leastTogether) return [];
  let evidence = -logChoose(fresh.length, showing.length);
  for (const index of showing) evidence += seriesGroups.at(index).refused?.spike.evidence ?? 0;
  return evidence >= cusumThreshold ? showing : [];
}

/** Whether a series' newest refused session is one that may count. */
export const mayPoolRefusals = ({ lastRefused, spike }: RefusalMonitor): boolean =>
  lastRefused && spike.evidence >= refusalEvidenceFloor;

/** Natural logarithm of the binomial coefficient. */
function logChoose(n: number, k: number): number {
  let sum = 0;
  for (let step = 1; step <= k; step++) sum += Math.log((n - k + step) / step);
  return sum;
}
