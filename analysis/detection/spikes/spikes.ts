// The life of a spike. `spikesOf` gives each sample of an instant to its series; a series' own sum may raise a spike.
// `pooling.ts` then asks whether series of one target, carrier or vantage show one together that none shows alone.
// For each raised spike the onset, the effect and the cause are told from the samples since the sum began to grow.
// Afterwards the monitor decides when it is over; `openSpikes` and `takeClosed` report that.

import { causeOf, causeOfGroup, isOfThePath } from '../causes/causes.ts';
import type { Contrast } from '../causes/contrast.ts';
import type { Cause, ClosedSpike, Metric, OpenSpike } from '../detection.ts';
import { raise, type SpikeWatch } from '../monitor/cusum.ts';
import { ownCauseSamples } from '../parameters.ts';
import type { LineSample } from '../sample.ts';
import type { Group, Roster } from '../series/groups.ts';
import { contrastAt, type Line, take } from '../series/series.ts';
import { mayBePooled, pooledSpike } from './pooling.ts';

/** A spike that was raised on a line. */
export type RaisedSpike = { line: Line; metric: Metric; onset: number; effect: number; cause: Cause };

/** Takes all samples of one instant; the spikes they raise, by the lines' own evidence or together with neighbours. */
export function spikesOf(roster: Roster, samples: readonly LineSample[], now: number): RaisedSpike[] {
  const raised = new Map<number, Metric[]>();
  const groups = new Set<Group>();
  for (const { line: index, sample } of samples) {
    const line = roster.at(index);
    const metrics = take(line, sample);
    if (metrics.length > 0) raised.set(index, metrics);
    if (sample.tls !== null && mayBePooled(line)) for (const group of roster.groupsOf(line)) groups.add(group);
  }
  const together = raiseTogether(roster, groups, raised, now);
  // The order within an instant must not depend on the order in which samples came.
  const ordered = [...raised].sort(([a], [b]) => a - b);
  return ordered.flatMap(([index, metrics]) =>
    metrics.map((metric) => explained(roster, index, metric, together.get(index) ?? [])),
  );
}

/** Adds to `raised` what groups show together; by line, the largest group that shows it with others. */
function raiseTogether(
  roster: Roster,
  groups: Iterable<Group>,
  raised: Map<number, Metric[]>,
  now: number,
): Map<number, number[]> {
  const together = new Map<number, number[]>();
  for (const group of groups) {
    const showing = pooledSpike(roster, group, now);
    for (const index of showing) {
      const other = together.get(index);
      if (!other || isBefore(showing, other)) together.set(index, showing);
    }
  }
  for (const index of together.keys()) {
    const { spike } = roster.at(index).tls;
    if (spike.open) continue;
    raise(spike);
    raised.set(index, [...(raised.get(index) ?? []), 'tls']);
  }
  return together;
}

/** Whether one group of lines is larger than another; of equal ones, the one with lower numbers. */
function isBefore(one: number[], other: number[]): boolean {
  if (one.length !== other.length) return one.length > other.length;
  const differs = one.findIndex((index, place) => index !== other[place]);
  return differs >= 0 && (one[differs] as number) < (other[differs] as number);
}

/** `together` are the lines by which it was raised with others, none where it was not. */
function explained(roster: Roster, index: number, metric: Metric, together: number[]): RaisedSpike {
  const line = roster.at(index);
  if (metric === 'failures') return explainedFailures(roster, index);
  const onset = (line[metric] ?? line.tls).spike.runStart;
  const own = contrastAt(line, onset);
  const siblings = roster.neighbours(index, 'target').flatMap((other) => contrastAt(other, onset) ?? []);
  return {
    line,
    metric,
    onset,
    effect: own?.[metric === 'connect' ? 'connect' : 'tls'] ?? 0,
    cause:
      (metric === 'tls' ? jointCause(roster, index, own, together) : null) ?? (own ? causeOf(own, siblings) : 'server'),
  };
}

/**
 * What the lines that were raised together say of the cause; null where there are none, and where a line's own samples are enough to
 * know that its path did, or did not, do what the others' did.
 */
function jointCause(roster: Roster, index: number, own: Contrast | null, together: number[]): Cause | null {
  const line = roster.at(index);
  const contrastsOf = (lines: number[]) =>
    lines.flatMap((each) => contrastAt(roster.at(each), roster.at(each).tls.spike.runStart) ?? []);
  const all = contrastsOf(together);
  if (all.length < 2) return null;
  const ofPath = isOfThePath(all);
  if (own && line.tls.spike.exceeding >= ownCauseSamples && isOfThePath([own]) !== ofPath) return null;
  if (ofPath) return 'network';
  const same = contrastsOf(together.filter((each) => roster.at(each).series.target === line.series.target));
  return causeOfGroup(same.length >= 2 ? same : all);
}

/** Failures say nothing of phases: they are the network's where the vantage's other targets fail as well. */
function explainedFailures(roster: Roster, index: number): RaisedSpike {
  const line = roster.at(index);
  const others = roster.neighbours(index, 'vantage').filter(({ failures }) => failures !== null);
  const failing = others.filter(({ failures }) => failures?.spike.open || (failures?.spike.exceeding ?? 0) > 1);
  const cause = others.length > 0 && failing.length >= others.length / 2 ? 'network' : 'server';
  return { line, metric: 'failures', onset: line.failures?.spike.runStart ?? line.last, effect: 0, cause };
}

/** The spikes of lines that are not over, in the order of lines. */
export function openSpikes(lines: readonly Line[]): OpenSpike[] {
  return lines.flatMap((line) =>
    watchesOf(line)
      .filter(([, { open }]) => open)
      .map(([metric, { runStart, calmStart }]) => ({
        ...line.series,
        metric,
        changeAt: runStart,
        quietSince: calmStart === 0 ? null : calmStart,
      })),
  );
}

/** The spikes of one line that have ended since this was last asked; it is known `at`. */
export function takeClosed(line: Line, at: number): ClosedSpike[] {
  return watchesOf(line).flatMap(([metric, watch]) => {
    const { endings } = watch;
    if (endings.length === 0) return [];
    watch.endings = [];
    return endings.map((ending) => ({ ...line.series, metric, ...ending, at }));
  });
}

function watchesOf({ tls, connect, firstByte, failures }: Line): [Metric, SpikeWatch][] {
  const watches: [Metric, SpikeWatch][] = [['tls', tls.spike]];
  if (connect) watches.push(['connect', connect.spike]);
  if (firstByte) watches.push(['firstByte', firstByte.spike]);
  if (failures) watches.push(['failures', failures.spike]);
  return watches;
}
