// Spikes: raised, with onset, effect and cause, and ended. `spikesOf` gives each sample of an instant to its series; a series'
// own sum may raise a spike. `pooling.ts` then asks whether series of one target, carrier or vantage show one together that
// none shows alone. For each raised spike the onset, the effect and the cause follow from the samples since the sum began to
// grow. Afterwards the monitor decides when it is over; `openSpikes` and `takeClosed` report that.

import { causeOf, causeOfGroup, isOfProber, isOfThePath } from '../causes/causes.ts';
import { type Contrast, tlsMs } from '../causes/contrast.ts';
import type { Cause, ClosedSpike, Metric, OpenSpike } from '../detection.ts';
import { type Cusum, raise, raiseAgain } from '../monitor/cusum.ts';
import { isRefusing } from '../monitor/refusals.ts';
import { calmThreshold, leastRepeats, ownCauseSamples, shadowLeastMembers } from '../parameters.ts';
import type { SeriesSample } from '../sample.ts';
import type { Group, SeriesGroups } from '../series/groups.ts';
import { contrastAt, type SeriesState, take } from '../series/series.ts';
import { medianOf } from '../statistics.ts';
import { mayBePooled, mayPoolRefusals, pooledRefusals, pooledSpike } from './pooling.ts';

/** A spike that was raised on a series. */
export type RaisedSpike = {
  series: SeriesState;
  metric: Metric;
  onset: number;
  effect: number;
  cause: Cause;
  /** By how many ms TLS time moved; null where it is not known. */
  ms: number | null;
  /** Whether both connect and the server's think time moved. */
  isOfProber?: boolean;
};

/**
 * Takes all samples of one instant, a step a sample: one that is unusual counts all that its series has. The spikes they raise, by the
 * series' own evidence or together with neighbours.
 */
export function* spikesOf(
  seriesGroups: SeriesGroups,
  samples: readonly SeriesSample[],
  now: number,
): Generator<void, RaisedSpike[]> {
  const raised = new Map<number, Metric[]>();
  const groups = new Set<Group>();
  const refusing = new Set<Group>();
  for (const { index, sample } of samples) {
    const series = seriesGroups.at(index);
    const metrics = take(series, sample);
    yield;
    if (metrics.length > 0) raised.set(index, metrics);
    if (sample.tls !== null && mayBePooled(series))
      for (const group of seriesGroups.groupsOf(series)) groups.add(group);
    if (series.refused && mayPoolRefusals(series.refused)) refusing.add(seriesGroups.groupsOf(series)[0] as Group);
  }
  for (const group of refusing) raiseRefusals(seriesGroups, group, raised, now);
  const together = raiseTogether(seriesGroups, groups, raised, now);
  // The order within an instant must not depend on the order in which samples came.
  const ordered = [...raised].sort(([a], [b]) => a - b);
  return ordered.flatMap(([index, metrics]) =>
    metrics.map((metric) => explained(seriesGroups, index, metric, together.get(index) ?? [])),
  );
}

/** Adds to `raised` what groups show together; by series, the largest group that shows it with others. */
function raiseTogether(
  seriesGroups: SeriesGroups,
  groups: Iterable<Group>,
  raised: Map<number, Metric[]>,
  now: number,
): Map<number, number[]> {
  const together = new Map<number, number[]>();
  for (const group of groups) {
    const showing = pooledSpike(seriesGroups, group, now);
    for (const index of showing) {
      const other = together.get(index);
      if (!other || isBefore(showing, other)) together.set(index, showing);
    }
  }
  for (const index of together.keys()) {
    const { spike } = seriesGroups.at(index).tls;
    if (spike.open && !isAnother(seriesGroups, index, (together.get(index) ?? []).length)) continue;
    if (spike.open) raiseAgain(spike);
    else raise(spike);
    raised.set(index, [...(raised.get(index) ?? []), 'tls']);
  }
  return together;
}

/**
 * Whether what begins again on a series, together with so many, is another incident: on few series it is the same one, that comes and
 * goes; so it is while a third of the target's series are in theirs still. Of two modes the lower one looks like quiet.
 */
function isAnother(seriesGroups: SeriesGroups, index: number, together: number): boolean {
  const { again } = seriesGroups.at(index).tls.spike;
  if (!again || together < shadowLeastMembers) return false;
  const others = seriesGroups.neighbours(index, 'target').map(({ tls }) => tls.spike);
  const isStill = ({ open, again: repeated, calm, runStart }: Cusum) =>
    open && !repeated && calm < calmThreshold && runStart < again.quietSince;
  return 2 * others.filter(isStill).length <= others.filter((spike) => spike.again).length;
}

/** Adds to `raised` the refused sessions that vantages of one target show together. */
function raiseRefusals(seriesGroups: SeriesGroups, group: Group, raised: Map<number, Metric[]>, now: number): void {
  for (const index of pooledRefusals(seriesGroups, group, now)) {
    const { refused } = seriesGroups.at(index);
    if (refused === null || refused.spike.open) continue;
    raise(refused.spike);
    raised.set(index, [...(raised.get(index) ?? []), 'refused']);
  }
}

/** Whether one group of series is larger than another; of equal ones, the one with lower indexes. */
function isBefore(one: number[], other: number[]): boolean {
  if (one.length !== other.length) return one.length > other.length;
  const differs = one.findIndex((index, at) => index !== other[at]);
  return differs >= 0 && (one[differs] as number) < (other[differs] as number);
}

/** `together`: indexes of the series it was raised with, none where it was raised alone. */
function explained(seriesGroups: SeriesGroups, index: number, metric: Metric, together: number[]): RaisedSpike {
  const series = seriesGroups.at(index);
  if (metric === 'failures') return explainedFailures(seriesGroups, index);
  if (metric === 'refused')
    return { series, metric, onset: series.refused?.spike.runStart ?? series.last, effect: 0, ms: null, cause: 'tls' };
  const onset = (series[metric] ?? series.tls).spike.runStart;
  const own = contrastAt(series, onset);
  const siblings = seriesGroups.neighbours(index, 'target').flatMap((other) => contrastAt(other, onset) ?? []);
  return {
    series,
    metric,
    onset,
    effect: own?.[metric === 'tcp' ? 'tcp' : 'tls'] ?? 0,
    cause:
      // What takes longer since sessions are refused is the rest of the handshake.
      (series.refused && isRefusing(series.refused) ? 'tls' : null) ??
      (metric === 'tls' ? jointCause(seriesGroups, index, own, together) : null) ??
      (own ? causeOf(own, siblings) : 'server'),
    ms: own && tlsMs(own),
    isOfProber: own !== null && isOfProber(own),
  };
}

/**
 * The cause by all series that were raised together; null where there are none, and where a series has enough samples of its
 * own that contradict the others on whether the path moved.
 */
function jointCause(seriesGroups: SeriesGroups, index: number, own: Contrast | null, together: number[]): Cause | null {
  const series = seriesGroups.at(index);
  const contrastsOf = (indexes: number[]) =>
    indexes.flatMap((each) => contrastAt(seriesGroups.at(each), seriesGroups.at(each).tls.spike.runStart) ?? []);
  const all = contrastsOf(together);
  if (all.length < 2) return null;
  const ofPath = isOfThePath(all);
  const { exceeding } = series.tls.spike;
  if (own && exceeding >= ownCauseSamples && isOfThePath([own]) !== ofPath) return null;
  if (own && ofPath && exceeding >= leastRepeats && hasStayed(own, all)) return null;
  if (ofPath) return 'network';
  const same = contrastsOf(together.filter((each) => seriesGroups.at(each).id.target === series.id.target));
  return causeOfGroup(same.length >= 2 ? same : all);
}

/** Whether connect moved by less than half of what it did on most series, by logarithm and by ms: a lost segment leaves it alone. */
function hasStayed(own: Contrast, all: readonly Contrast[]): boolean {
  const ms = ({ roundTrip, tcp }: Contrast) => roundTrip * Math.expm1(tcp);
  return own.tcp < medianOf(all.map(({ tcp }) => tcp)) / 2 && ms(own) < medianOf(all.map(ms)) / 2;
}

/** Failures have no phases: the cause is the network where at least half of the vantage's other targets fail as well. */
function explainedFailures(seriesGroups: SeriesGroups, index: number): RaisedSpike {
  const series = seriesGroups.at(index);
  const others = seriesGroups.neighbours(index, 'vantage').filter(({ failures }) => failures !== null);
  const failing = others.filter(({ failures }) => failures?.spike.open || (failures?.spike.exceeding ?? 0) > 1);
  const cause = others.length > 0 && failing.length >= others.length / 2 ? 'network' : 'server';
  return {
    series,
    metric: 'failures',
    onset: series.failures?.spike.runStart ?? series.last,
    effect: 0,
    cause,
    ms: null,
  };
}

/** The spikes of series that are not over, in the order of series. */
export function openSpikes(all: readonly SeriesState[]): OpenSpike[] {
  return all.flatMap((series) =>
    cusumsOf(series)
      .filter(([, { open }]) => open)
      .map(([metric, { runStart, calmStart }]) => ({
        ...series.id,
        metric,
        changeAt: runStart,
        quietSince: calmStart === 0 ? null : calmStart,
      })),
  );
}

/** The spikes of one series that have ended since this was last asked; it is known `at`. */
export function takeClosed(series: SeriesState, at: number): ClosedSpike[] {
  return cusumsOf(series).flatMap(([metric, cusum]) => {
    const { endings } = cusum;
    if (endings.length === 0) return [];
    cusum.endings = [];
    return endings.map((ending) => ({ ...series.id, metric, ...ending, at }));
  });
}

function cusumsOf({ tls, tcp, firstByte, failures, refused }: SeriesState): [Metric, Cusum][] {
  const cusums: [Metric, Cusum][] = [['tls', tls.spike]];
  if (tcp) cusums.push(['tcp', tcp.spike]);
  if (firstByte) cusums.push(['firstByte', firstByte.spike]);
  if (failures) cusums.push(['failures', failures.spike]);
  if (refused) cusums.push(['refused', refused.spike]);
  return cusums;
}
