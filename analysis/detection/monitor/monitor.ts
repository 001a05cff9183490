// The monitor of one metric of one series. The life of a value: `observe` remembers it, compares it with the baseline and
// gives its log-likelihood ratio to the cumulative sum (`cusum.ts`); for TLS time `path-witness.ts` tests whether TCP connect
// is high as well. Values without suspicion are learnt at once, suspected ones when the suspicion has come to nothing,
// those of an incident never. Every half hour `refresh` recomputes the baseline, every 6 hours `reshape` takes a new daily
// shape; `restart` begins again after a lasting change; `endIfLong` ends an incident that does not end by itself.
// `failures.ts` does the same, by the same sum, for failed probes.

import {
  type Baseline,
  baselineOf,
  count,
  type Distribution,
  emptyDistribution,
  exceeds,
  fallsShort,
  isHigh,
  shareBetween,
} from '../baseline/baseline.ts';
import { type DailyShape, flatShape, valueAt } from '../baseline/daily-shape.ts';
import type { EndedBy } from '../detection.ts';
import { positionInDay } from '../history/half-hours.ts';
import {
  append,
  eachSample,
  eachSampleBack,
  emptyHistory,
  forgetOldest,
  type History,
  isLearned,
  logAt,
  mustForget,
  rounded,
  setLearned,
} from '../history/history.ts';
import {
  baselineLeastSamples,
  densityHalfWidth,
  incidentGapSeconds,
  longestIncidentSeconds,
  recentreAt,
  runGapSeconds,
} from '../parameters.ts';
import { type Cusum, idleCusum, llrOf, llrOfBoth, type Side, type Step, step, stopCusum, stopRun } from './cusum.ts';

/** One metric of one series, with all that its spikes follow from. */
export type MetricMonitor = {
  history: History;
  distribution: Distribution | null;
  shape: DailyShape;
  baseline: Baseline | null;
  spike: Cusum;
  /** Local time less UTC, seconds. */
  offset: number;
  /** The time of the last sample, and whether it exceeded. */
  last: number;
  lastExceeded: boolean;
  /** Whether the path confirmed the last sample. */
  witnessed: boolean;
};

export function newMonitor(offset: number): MetricMonitor {
  return {
    history: emptyHistory(),
    distribution: null,
    shape: flatShape(),
    baseline: null,
    spike: idleCusum(),
    offset,
    last: 0,
    lastExceeded: false,
    witnessed: false,
  };
}

/**
 * Takes one value (ms, more than 0) into account. `witness` is null, or how often another measure that is high now is so
 * together with this one: then a value counts that is high, if not beyond the series' noise.
 */
export function observe(monitor: MetricMonitor, timestamp: number, value: number, witness: number | null = null): Step {
  const { history, spike, baseline } = monitor;
  const silence = timestamp - monitor.last;
  if (silence > runGapSeconds && !spike.open && spike.runStart > 0) endRun(monitor);
  endIfLong(monitor, timestamp);
  while (mustForget(history, timestamp)) forget(monitor);
  const log = rounded(Math.log(value));
  const position = positionInDay(timestamp, monitor.offset);
  const shape = valueAt(monitor.shape.value, position);
  append(history, timestamp, log);
  monitor.last = timestamp;
  monitor.lastExceeded = false;
  monitor.witnessed = false;
  if (baseline === null || baseline.count < baselineLeastSamples) {
    learn(monitor, timestamp);
    return 'nothing';
  }
  const spread = valueAt(monitor.shape.spread, position);
  monitor.witnessed = witness !== null && isHigh(baseline, value, log, shape, spread);
  monitor.lastExceeded = monitor.witnessed || exceeds(baseline, value, log, shape, spread);
  const below = fallsShort(baseline, log - shape, spread);
  const side = monitor.lastExceeded ? 'above' : below ? 'below' : 'usual';
  return judge(monitor, timestamp, log - shape, side, baseline, monitor.witnessed ? witness : null);
}

function judge(
  monitor: MetricMonitor,
  timestamp: number,
  residual: number,
  side: Side,
  baseline: Baseline,
  witness: number | null,
): Step {
  const { spike, distribution } = monitor;
  const near =
    side !== 'usual' && distribution
      ? shareBetween(distribution, residual - densityHalfWidth, residual + densityHalfWidth)
      : 0;
  const began = spike.runStart;
  const own = llrOf(baseline, side, near);
  const ratio = witness === null ? own : Math.max(own, llrOfBoth(witness));
  const result = step(spike, timestamp, side === 'above', ratio);
  // While evidence grows, samples wait; without a case they are what is usual on this series.
  if (spike.evidence === 0 && !spike.open && result === 'nothing') learn(monitor, began === 0 ? timestamp : began);
  return result;
}

/** Computes the baseline anew: every half hour, and after a restart. */
export function refresh(monitor: MetricMonitor): void {
  const { distribution } = monitor;
  if (distribution === null) return;
  monitor.baseline = baselineOf(distribution);
  const median = monitor.baseline?.median ?? distribution.centre;
  if (Math.abs(median - distribution.centre) > recentreAt) rebuild(monitor, median);
}

/** A new shape: what is remembered is seen in its light. */
export function reshape(monitor: MetricMonitor, shape: DailyShape, offset: number): void {
  if (shape === monitor.shape && offset === monitor.offset) return;
  monitor.shape = shape;
  monitor.offset = offset;
  rebuild(monitor, monitor.baseline?.median ?? 0);
  refresh(monitor);
}

/** Starts the baseline again after a lasting change: what was before it no longer counts, what came after does. */
export function restart(monitor: MetricMonitor, change: number): void {
  const { history } = monitor;
  stopCusum(monitor.spike, change, 'shift');
  eachSample(history, (position, timestamp) => setLearned(history, position, timestamp >= change));
  rebuild(monitor, monitor.baseline?.median ?? 0);
  refresh(monitor);
}

function rebuild(monitor: MetricMonitor, centre: number): void {
  const { history } = monitor;
  monitor.distribution = emptyDistribution(centre);
  eachSample(history, (position, timestamp) => {
    if (isLearned(history, position)) enter(monitor, position, timestamp, 1);
  });
}

/** Ends a run that came to nothing. */
function endRun(monitor: MetricMonitor): void {
  learn(monitor, monitor.spike.runStart);
  stopRun(monitor.spike);
}

/** Ends an incident that lasts too long, or whose series is silent for too long: its samples become part of the baseline. */
export function endIfLong(monitor: MetricMonitor, now: number): void {
  const { spike, last } = monitor;
  if (!spike.open) return;
  if (now - last > incidentGapSeconds) abandon(monitor, last, 'silence');
  else if (now - spike.runStart > longestIncidentSeconds) abandon(monitor, now, 'length');
}

function abandon(monitor: MetricMonitor, endedAt: number, by: EndedBy): void {
  learn(monitor, monitor.spike.runStart);
  stopCusum(monitor.spike, endedAt, by);
  refresh(monitor);
}

/** Makes the samples since `from` part of the baseline. */
function learn(monitor: MetricMonitor, from: number): void {
  const { history } = monitor;
  eachSampleBack(history, from, (position, timestamp) => {
    if (isLearned(history, position)) return;
    setLearned(history, position, true);
    enter(monitor, position, timestamp, 1);
  });
}

function forget(monitor: MetricMonitor): void {
  const { history } = monitor;
  if (isLearned(history, history.head)) enter(monitor, history.head, history.oldest, -1);
  forgetOldest(history);
}

function enter(monitor: MetricMonitor, position: number, timestamp: number, by: 1 | -1): void {
  const residual = logAt(monitor.history, position) - shapeAt(monitor, timestamp);
  monitor.distribution ??= emptyDistribution(residual);
  count(monitor.distribution, residual, by);
}

/** The daily shape at a time, logarithm. */
export function shapeAt(monitor: MetricMonitor, timestamp: number): number {
  return valueAt(monitor.shape.value, positionInDay(timestamp, monitor.offset));
}
