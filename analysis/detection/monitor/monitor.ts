// The monitor of one metric of one series. The life of a value: `prepare` ends what it comes too late for, its series'
// history remembers it, `observe` compares it with the baseline and gives its log-likelihood ratio to the cumulative sum (`cusum.ts`); for TLS time `path-witness.ts` tests whether TCP connect
// is high as well. Values without suspicion are learnt at once, suspected ones when the suspicion has come to nothing,
// those of an incident never. Every half hour `refresh` recomputes the baseline, every 6 hours `reshape` takes a new daily
// shape; `restart` begins again after a lasting change; `endIfLong` ends an incident that does not end by itself.
// `failures.ts` does the same, by the same sum, for failed probes.

import {
  type Baseline,
  baselineOf,
  count,
  type Distribution,
  emptied,
  emptyDistribution,
  exceeds,
  fallsShort,
  isHigh,
  recentreAt,
  shareBetween,
} from '../baseline/baseline.ts';
import { betweenOf, type DailyShape, flatShape, placed, valueAt } from '../baseline/daily-shape.ts';
import type { EndedBy } from '../detection.ts';
import { positionInDay } from '../history/half-hours.ts';
import {
  bitOf,
  eachSample,
  type History,
  learnNewest,
  learnOnly,
  learnSince,
  logSteps,
  type MetricIndex,
  rounded,
  type Unpacked,
  unpack,
} from '../history/history.ts';
import {
  densityHalfWidth,
  historyCapacity,
  historySeconds,
  incidentGapSeconds,
  leastSamples,
  longestIncidentSeconds,
  quietSeconds,
} from '../parameters.ts';
import { type Cusum, idleCusum, llrOf, llrOfBoth, type Side, type Step, step, stopCusum, stopRun } from './cusum.ts';

/** One metric of one series, with all that its spikes follow from, its series' history apart. */
export type MetricMonitor = {
  /** Which of the history's metrics it is. */
  metric: MetricIndex;
  /** The centre of the distribution of what was learnt; null before anything was. */
  centre: number | null;
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
  /** What was learnt, where something in this half hour was unusual. No part of the state: it follows from the history. */
  transient: Distribution | null;
};

export function newMonitor(metric: MetricIndex, offset: number): MetricMonitor {
  return {
    metric,
    centre: null,
    shape: flatShape(),
    baseline: null,
    spike: idleCusum(),
    offset,
    last: 0,
    lastExceeded: false,
    witnessed: false,
    transient: null,
  };
}

/** Ends what a sample at `timestamp` comes too late for, before the history has it. */
export function prepare(monitor: MetricMonitor, history: History, timestamp: number): void {
  const { spike, last } = monitor;
  if (timestamp - last > quietSeconds && !spike.open && spike.runStart > 0) endRun(monitor, history);
  endIfLong(monitor, history, timestamp);
}

/**
 * Takes the newest value (ms, more than 0) of the history into account. `witness` is null, or how often another measure that
 * is high now is so together with this one: then a value counts that is high, if not beyond the series' noise. What exceeds by no
 * more than the prober's own delay (ms) does not.
 */
export function observe(
  monitor: MetricMonitor,
  history: History,
  timestamp: number,
  value: number,
  witness: number | null = null,
  ownDelay = 0,
): Step {
  const { baseline } = monitor;
  const log = rounded(Math.log(value));
  const position = positionInDay(timestamp, monitor.offset);
  const shape = valueAt(monitor.shape.value, position);
  monitor.last = timestamp;
  monitor.lastExceeded = false;
  monitor.witnessed = false;
  if (baseline === null || baseline.count < 2 * leastSamples) {
    learnLast(monitor, history, log - shape);
    return 'nothing';
  }
  const spread = valueAt(monitor.shape.spread, position);
  const certain = value - ownDelay;
  const certainLog = ownDelay === 0 ? log : certain > 0 ? rounded(Math.log(certain)) : Number.NEGATIVE_INFINITY;
  monitor.witnessed = witness !== null && isHigh(baseline, certain, certainLog, shape, spread);
  monitor.lastExceeded = monitor.witnessed || exceeds(baseline, certain, certainLog, shape, spread);
  const below = fallsShort(baseline, log - shape, spread);
  const side = monitor.lastExceeded ? 'above' : below ? 'below' : 'usual';
  return judge(monitor, history, log - shape, side, baseline, monitor.witnessed ? witness : null);
}

function judge(
  monitor: MetricMonitor,
  history: History,
  residual: number,
  side: Side,
  baseline: Baseline,
  witness: number | null,
): Step {
  const { spike, last } = monitor;
  const near =
    side === 'usual'
      ? 0
      : shareBetween(distributionNow(monitor, history), residual - densityHalfWidth, residual + densityHalfWidth);
  const began = spike.runStart;
  const own = llrOf(baseline, side, near);
  const ratio = witness === null ? own : Math.max(own, llrOfBoth(witness));
  const result = step(spike, last, side === 'above', ratio);
  // While evidence grows, samples wait; without a case they are what is usual on this series.
  if (spike.evidence === 0 && !spike.open && result === 'nothing') {
    if (began === 0) learnLast(monitor, history, residual);
    else learn(monitor, history, began);
  }
  return result;
}

/**
 * Recomputes the baseline from the samples of its history, every half hour. A metric that was silent for longer than the
 * history goes back is compared with what it was before, until it has samples enough.
 */
export function refresh(monitor: MetricMonitor, samples: Unpacked): void {
  if (monitor.centre === null) return;
  const { transient, baseline: old } = monitor;
  const found = baselineOf(transient ?? counted(monitor, samples, emptied(SCRATCH, monitor.centre)));
  monitor.transient = null;
  const isEnough = (baseline: Baseline | null) => (baseline?.count ?? 0) >= 2 * leastSamples;
  if (isEnough(old) && !isEnough(found) && hasJustBegun(monitor, samples)) return;
  monitor.baseline = found;
  const median = found?.median ?? monitor.centre;
  if (Math.abs(median - monitor.centre) > recentreAt) centreOn(monitor, median);
}

/** Whether nothing was learnt of the earlier half of the time that the history goes back: else samples are few because they are seldom. */
function hasJustBegun({ metric, last }: MetricMonitor, samples: Unpacked): boolean {
  let first = last;
  eachSample(samples, metric, (time, _log, isLearned) => {
    if (isLearned) first = Math.min(first, time);
  });
  return first > last - historySeconds / 2;
}

/** A new shape: what is remembered is seen in its light. */
export function reshape(monitor: MetricMonitor, samples: Unpacked, shape: DailyShape, offset: number): void {
  if (shape === monitor.shape && offset === monitor.offset) return;
  monitor.shape = placed(shape, monitor.shape);
  monitor.offset = offset;
  centreOn(monitor, monitor.baseline?.median ?? monitor.centre);
  refresh(monitor, samples);
}

/** Starts the baseline again after a lasting change: what was before it no longer counts, what came after does. */
export function restart(monitor: MetricMonitor, history: History, change: number): void {
  stopCusum(monitor.spike, change, 'shift');
  learnOnly(history, monitor.metric, change);
  centreOn(monitor, monitor.baseline?.median ?? monitor.centre);
  monitor.baseline = null;
  refresh(monitor, unpack(history));
}

/** Ends a run that came to nothing. */
function endRun(monitor: MetricMonitor, history: History): void {
  learn(monitor, history, monitor.spike.runStart);
  stopRun(monitor.spike);
}

/** Ends an incident that lasts too long, or whose series is silent for too long: its samples become part of the baseline. */
export function endIfLong(monitor: MetricMonitor, history: History, now: number): void {
  const { spike, last } = monitor;
  if (!spike.open) return;
  if (now - last > incidentGapSeconds) abandon(monitor, history, last, 'silence');
  else if (now - spike.runStart > longestIncidentSeconds) abandon(monitor, history, now, 'length');
}

function abandon(monitor: MetricMonitor, history: History, endedAt: number, by: EndedBy): void {
  learn(monitor, history, monitor.spike.runStart);
  stopCusum(monitor.spike, endedAt, by);
  refresh(monitor, unpack(history));
}

/** Makes the samples since `from` part of the baseline. */
function learn(monitor: MetricMonitor, history: History, from: number): void {
  learnSince(history, monitor.metric, from, (time, log) => enter(monitor, log - shapeAt(monitor, time), 1));
}

/** Makes the newest sample part of it. */
function learnLast(monitor: MetricMonitor, history: History, residual: number): void {
  learnNewest(history, monitor.metric);
  monitor.centre ??= residual;
  enter(monitor, residual, 1);
}

/** Takes a sample that its history has forgotten out of the baseline. */
export function forget(monitor: MetricMonitor, time: number, log: number): void {
  if (monitor.transient !== null) enter(monitor, log - shapeAt(monitor, time), -1);
}

function enter({ transient }: MetricMonitor, residual: number, by: 1 | -1): void {
  if (transient !== null) count(transient, residual, by);
}

function centreOn(monitor: MetricMonitor, centre: number | null): void {
  monitor.centre = centre;
  monitor.transient = null;
}

/** What was learnt, less the daily shape. */
function distributionNow(monitor: MetricMonitor, history: History): Distribution {
  monitor.transient ??= counted(monitor, unpack(history), emptyDistribution(monitor.centre ?? 0));
  return monitor.transient;
}

/** One for all: what is counted for a baseline is forgotten. */
const SCRATCH = emptyDistribution(0);

function counted(
  { metric, shape, offset }: MetricMonitor,
  samples: Unpacked,
  distribution: Distribution,
): Distribution {
  const { learned, numbers } = samples;
  const { value } = shape;
  locate(samples, offset);
  const bit = bitOf(metric);
  for (let index = 0; index < samples.count; index++) {
    if (((learned[index] as number) & bit) === 0) continue;
    const log = (numbers[3 * index + metric] as number) / logSteps;
    const first = value[FIRST[index] as number] as number;
    const usual = first + (PART[index] as number) * ((value[SECOND[index] as number] as number) - first);
    count(distribution, log - usual, 1);
  }
  return distribution;
}

/** Finds where in the daily shape each of the unpacked samples is, once for all of its metrics: `betweenOf`. */
function locate(samples: Unpacked, offset: number): void {
  if (located.turn === samples.turn && located.offset === offset) return;
  located = { turn: samples.turn, offset };
  for (let index = 0; index < samples.count; index++) {
    const { first, second, part } = betweenOf(positionInDay(samples.times[index] as number, offset));
    FIRST[index] = first;
    SECOND[index] = second;
    PART[index] = part;
  }
}
const FIRST = new Uint8Array(historyCapacity);
const SECOND = new Uint8Array(historyCapacity);
const PART = new Float64Array(historyCapacity);
let located = { turn: -1, offset: 0 };

/** The daily shape at a time, logarithm. */
export function shapeAt(monitor: MetricMonitor, timestamp: number): number {
  return valueAt(monitor.shape.value, positionInDay(timestamp, monitor.offset));
}
