import { causeOf } from './cause.ts';
import { contrastAt, type Line, take } from './line.ts';
import { mayBePooled, pooledSpike } from './neighbours.ts';
import type { Group, Roster } from './roster.ts';
import type { Cause, LineSample, Metric } from './sample.ts';
import { raise } from './spike.ts';

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
  for (const group of groups) {
    for (const index of pooledSpike(roster, group, now)) {
      raise(roster.at(index).tls.spike);
      raised.set(index, [...(raised.get(index) ?? []), 'tls']);
    }
  }
  // The order within an instant must not depend on the order in which samples came.
  const ordered = [...raised].sort(([a], [b]) => a - b);
  return ordered.flatMap(([index, metrics]) => metrics.map((metric) => explained(roster, index, metric)));
}

function explained(roster: Roster, index: number, metric: Metric): RaisedSpike {
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
    cause: own ? causeOf(own, siblings) : 'server',
  };
}

/** Failures say nothing of phases: they are the network's where the vantage's other targets fail as well. */
function explainedFailures(roster: Roster, index: number): RaisedSpike {
  const line = roster.at(index);
  const others = roster.neighbours(index, 'vantage').filter(({ failures }) => failures !== null);
  const failing = others.filter(({ failures }) => failures?.spike.open || (failures?.spike.exceeding ?? 0) > 1);
  const cause = others.length > 0 && failing.length >= others.length / 2 ? 'network' : 'server';
  return { line, metric: 'failures', onset: line.failures?.spike.runStart ?? line.last, effect: 0, cause };
}
