// What a series would know had it been watched all the time, from what is stored of it: histograms of half hours, and single
// samples of the last day. Nothing is judged, so it takes a thousandth of the time. What was high for some hours is taken for a
// spike, as it would have been: it is left out of what is usual.

import { type Histogram, LOG_GROWTH, quantile } from '#analysis/histogram.ts';
import { exceeds } from '../baseline/baseline.ts';
import { flatShape, learnShape, placed, valueAt } from '../baseline/daily-shape.ts';
import type { Metric } from '../detection.ts';
import {
  type Clip,
  clippedMean,
  emptyFilling,
  fill,
  type HalfHour,
  halfHourOf,
  middleOfSlot,
  positionInDay,
  putHalfHour,
  slotOf,
  slotValue,
  type Table,
  tlsIn,
} from '../history/half-hours.ts';
import { append, eachSample, type Logs, learnNewest, TCP, TLS, unpack } from '../history/history.ts';
import { remember } from '../history/recent.ts';
import { raise, stopCusum } from '../monitor/cusum.ts';
import { type MetricMonitor, refresh } from '../monitor/monitor.ts';
import { learnWitness, refreshWitness } from '../monitor/path-witness.ts';
import {
  changeCapacity,
  cusumThreshold,
  excessFloor,
  excessFloorMs,
  halfHourCapacity,
  jointRateMemory,
  longestIncidentSeconds,
  longestPeriod,
  quietSeconds,
  sigmaLimit,
  slotSeconds,
  slotsPerDay,
  usualRateFloor,
  winsorAt,
} from '../parameters.ts';
import type { Past, PastHalfHour } from '../past.ts';
import type { Sample } from '../sample.ts';
import { medianOf } from '../statistics.ts';
import { known, residualsOf } from './levels.ts';
import { type SeriesState, tcpLevels, tlsLevels } from './series.ts';

/** Learns a series' past up to `until` (epoch seconds, the end of a half hour), of which nothing is known yet. `offset` is local time less UTC, seconds. */
export function learnPast(series: SeriesState, past: Past, until: number, offset: number): void {
  const newest = slotOf(until) - 1;
  const bySlot = Map.groupBy(past.samples, ({ timestamp }) => slotOf(timestamp));
  series.changes.push(...past.changes.map((at) => slotOf(at) + 1));
  series.changes.splice(0, series.changes.length - changeCapacity);
  for (const monitor of monitorsOf(series)) monitor.offset = offset;
  const learnt = learntOf(past, bySlot);
  putHalfHours(series, learnt, null, new Set());
  // By their height alone at first, else the shape of few days would have the spikes in it.
  putHalfHours(series, learnt, null, spikedSlots(series, series.tls, newest));
  learnShapes(series, newest, offset);
  const spiked = new Map(monitorsOf(series).map((monitor) => [monitor.place, spikedSlots(series, monitor, newest)]));
  learnSamples(series, past, spiked);
  putHalfHours(series, learnt, reachOf(series.tls), spiked.get(TLS) ?? new Set());
  learnShapes(series, newest, offset);
  learnBaselines(series, newest);
  learnPath(series, past.samples, newest);
  for (const monitor of monitorsOf(series)) if (spiked.get(monitor.place)?.has(newest)) suspect(series, monitor, until);
  if (series.failures && past.failureRate !== null) series.failures.rate = Math.max(usualRateFloor, past.failureRate);
}

function monitorsOf({ tls, tcp, firstByte }: SeriesState): MetricMonitor[] {
  return [tls, tcp, firstByte].filter((monitor) => monitor !== null);
}

const tableOf = ({ place }: MetricMonitor): Table => (place === TLS ? 'mean' : place === TCP ? 'tcp' : 'firstByte');

/** How far above their median TLS times count. */
type Reach = number | null;

function reachOf({ baseline }: MetricMonitor): Reach {
  return baseline && baseline.clip - baseline.median;
}

/** Means are clipped about the half hour's own median: its level may have been another one than the present. */
const clipAt = (median: number, reach: Reach): Clip => ({ low: median - winsorAt, high: median + (reach ?? winsorAt) });

/** A half hour, its mean clipped about its own median, and what that is with other limits. Sorting takes the time: each is made once. */
type Learnt = { slot: number; halfHour: HalfHour; meanAt: (clip: Clip) => number };

function learntOf(past: Past, bySlot: ReadonlyMap<number, Sample[]>): Learnt[] {
  const learnt: Learnt[] = [];
  let before: { half: PastHalfHour; found: Omit<Learnt, 'slot'> | null } | null = null;
  for (const half of past.halfHours) {
    // Half hours of one hour share its histograms.
    const isSame: boolean =
      before !== null && (['tls', 'tcp', 'firstByte'] as const).every((phase) => before?.half[phase] === half[phase]);
    const found: Omit<Learnt, 'slot'> | null = isSame && before ? before.found : ofHistograms(half);
    before = { half, found };
    if (found) learnt.push({ slot: half.slot, ...found });
  }
  for (const [slot, samples] of bySlot) {
    const found = ofSamples(samples);
    if (found) learnt.push({ slot, ...found });
  }
  return learnt;
}

function putHalfHours(
  { halfHours }: SeriesState,
  learnt: readonly Learnt[],
  reach: Reach,
  spiked: ReadonlySet<number>,
): void {
  for (const { slot, halfHour, meanAt } of learnt) {
    const of = reach === null ? halfHour.of : { ...halfHour.of, mean: meanAt(clipAt(halfHour.of.middle, reach)) };
    putHalfHour(halfHours, slot, { of, share: spiked.has(slot) ? 1 : 0 });
  }
}

function ofSamples(samples: readonly Sample[]): Omit<Learnt, 'slot'> | null {
  const filling = emptyFilling();
  for (const sample of samples) fill(filling, sample, false);
  const halfHour = halfHourOf(filling, null);
  return halfHour && { halfHour, meanAt: (clip) => clippedMean(tlsIn(filling), clip) };
}

/** Think time is not stored: the difference of two medians stands for the median of differences. */
function ofHistograms({ tls, tcp, firstByte }: PastHalfHour): Omit<Learnt, 'slot'> | null {
  if (tls === null || tls.count === 0) return null;
  const logAt = (histogram: Histogram | null, q: number) => {
    const ms = histogram && quantile(histogram, q);
    return ms === null || ms <= 0 ? Number.NaN : Math.log(ms);
  };
  const middle = logAt(tls, 0.5);
  const [connect, first] = [logAt(tcp, 0.5), logAt(firstByte, 0.5)];
  const of = {
    mean: meanLogOf(tls, clipAt(middle, null)),
    low: logAt(tls, 0.25),
    middle,
    high: logAt(tls, 0.75),
    tcp: connect,
    firstByte: first,
    think: Math.exp(first) - Math.exp(connect),
  };
  return Number.isNaN(of.mean) ? null : { halfHour: { of, share: 0 }, meanAt: (clip) => meanLogOf(tls, clip) };
}

/** The mean of clipped logarithms, each value in the middle of its bin of 1%; one value is known exactly. */
function meanLogOf({ count, min, first, bins }: Histogram, clip: Clip): number {
  if (count === 1) return min > 0 ? Math.log(min / 1_000) : Number.NaN;
  let [sum, values] = [0, 0];
  bins.forEach((inBin, index) => {
    values += inBin;
    sum += inBin * Math.max(clip.low, Math.min(clip.high, (first + index - 0.5) * LOG_GROWTH));
  });
  return sum / values;
}

/** Of less than two days a spike could not be told from the time of day. */
const SHAPE_LEAST = 2 * slotsPerDay;

function learnShapes(series: SeriesState, now: number, offset: number): void {
  const { halfHours, changes } = series;
  if (
    known(residualsOf({ ...tlsLevels(series, now), since: 0 }, 'mean', now + 1 - halfHourCapacity, now + 1, 'all'))
      .length < SHAPE_LEAST
  )
    return;
  const shapeOf = (table: Table, old: MetricMonitor['shape']) =>
    placed(learnShape({ halfHours, now, offset, changes, table }, old), old);
  for (const monitor of monitorsOf(series)) monitor.shape = shapeOf(tableOf(monitor), monitor.shape);
  if (series.tcpShape !== null) series.tcpShape = shapeOf('tcp', series.tcpShape);
}

/**
 * The half hours in which a metric was above its level of the days around by what makes a spike, for no longer than a spike
 * lasts. What is high for longer is another level.
 */
function spikedSlots({ halfHours, changes }: SeriesState, monitor: MetricMonitor, newest: number): Set<number> {
  const { shape, offset } = monitor;
  const from = Math.max(0, newest - halfHourCapacity + 1);
  const table = tableOf(monitor);
  const residuals: { slot: number; residual: number; usual: number; spread: number }[] = [];
  for (let slot = from; slot <= newest; slot++) {
    const value = slotValue(halfHours, table, slot);
    if (Number.isNaN(value)) continue;
    const position = positionInDay(middleOfSlot(slot), offset);
    const usual = valueAt(shape.value, position);
    residuals.push({ slot, residual: value - usual, usual, spread: valueAt(shape.spread, position) });
  }
  const segmentOf = (slot: number) => changes.findLastIndex((change) => change <= slot) + 1;
  const bySegment = Map.groupBy(
    residuals,
    ({ slot }) => segmentOf(slot) * halfHourCapacity + Math.floor((newest - slot) / (2 * slotsPerDay)),
  );
  const high = new Set<number>();
  for (const some of bySegment.values()) {
    const level = medianOf(some.map(({ residual }) => residual));
    for (const { slot, residual, usual, spread } of some) {
      const excessMs = Math.exp(residual + usual) - Math.exp(level + usual);
      const reach = Math.hypot(excessFloor, sigmaLimit * spread);
      if (residual > level + reach && excessMs > excessFloorMs) high.add(slot);
    }
  }
  return withoutLongRuns(high);
}

function withoutLongRuns(high: ReadonlySet<number>): Set<number> {
  const short = new Set<number>();
  for (const slot of high) {
    if (high.has(slot - 1)) continue;
    let end = slot;
    while (high.has(end)) end += 1;
    if ((end - slot) * slotSeconds > longestIncidentSeconds) continue;
    for (let each = slot; each < end; each++) short.add(each);
  }
  return short;
}

/** Into the rings, as `take` would have put them. */
function learnSamples(
  series: SeriesState,
  { samples, changes }: Past,
  spiked: ReadonlyMap<number, ReadonlySet<number>>,
): void {
  const { history, recent } = series;
  const since = changes.at(-1) ?? 0;
  const logOf = (monitor: MetricMonitor | null, ms: number | null) =>
    monitor && ms !== null && ms > 0 ? Math.log(ms) : null;
  for (const sample of samples) {
    const { timestamp, tls, tcp, firstByte } = sample;
    const logs: Logs = [logOf(series.tls, tls), logOf(series.tcp, tcp), logOf(series.firstByte, firstByte)];
    remember(recent, sample);
    series.last = timestamp;
    if (logs.every((log) => log === null)) continue;
    append(history, timestamp, logs);
    const slot = slotOf(timestamp);
    for (const monitor of monitorsOf(series)) {
      if (logs[monitor.place] === null) continue;
      monitor.last = timestamp;
      const isBefore = monitor.place === TLS && timestamp < since;
      if (!isBefore && !spiked.get(monitor.place)?.has(slot)) learnNewest(history, monitor.place);
    }
  }
  const distances = samples
    .slice(-slotsPerDay)
    .map(({ timestamp }, at, some) => timestamp - (some[at - 1]?.timestamp ?? timestamp));
  series.period = distances.length < 2 ? 0 : Math.min(longestPeriod, medianOf(distances.slice(1)));
  learnBaselines(series, slotOf(series.last));
}

/** What is usual, of the samples that were learnt; about the level of the newest day. */
function learnBaselines(series: SeriesState, newest: number): void {
  const { halfHours, history, changes } = series;
  if (history.count === 0) return;
  const samples = unpack(history);
  for (const monitor of monitorsOf(series)) {
    const { shape, offset } = monitor;
    const levels = {
      halfHours,
      table: tableOf(monitor),
      quartiles: false,
      leastMs: 0,
      shape,
      offset,
      changes,
      now: newest,
    };
    const since = monitor.place === TLS ? (changes.at(-1) ?? 0) : 0;
    const calm = known(residualsOf({ ...levels, since }, levels.table, newest + 1 - slotsPerDay, newest + 1, 'all'));
    monitor.centre = calm.length === 0 ? monitor.centre : medianOf(calm);
    refresh(monitor, samples);
  }
}

/** TCP connect as a second witness: its level, and how far the newest samples are from it. */
function learnPath(series: SeriesState, samples: readonly Sample[], newest: number): void {
  const { path, tls, tcp, tcpShape } = series;
  const day = residualsOf(tcpLevels(series, newest), 'tcp', newest + 1 - slotsPerDay, newest + 1, 'all');
  refreshWitness(path, known(day));
  const shape = tcp?.shape ?? tcpShape ?? flatShape();
  for (const sample of samples.slice(-jointRateMemory))
    if (sample.tcp !== null && sample.tcp > 0)
      learnWitness(path, sample.tcp, shape, positionInDay(sample.timestamp, tls.offset), false);
}

/**
 * Takes a spike to be under way that somebody was told of, from `changeAt` on: it ends as any other, and has ended where samples have
 * been as usual for as long as that takes. Nothing where the metric is not watched.
 */
export function adoptSpike(series: SeriesState, metric: Metric, changeAt: number): void {
  const monitor = series[metric];
  if (monitor === null) return;
  const { spike } = monitor;
  if (!spike.open) raise(spike);
  spike.evidence = Math.max(spike.evidence, cusumThreshold);
  spike.runStart = changeAt;
  const quiet = 'place' in monitor ? quietSince(series, monitor, changeAt) : null;
  if (quiet !== null && series.last - quiet >= quietSeconds) stopCusum(spike, quiet, 'quiet');
}

/** What looks like a spike that is under way: the next sample that exceeds raises it, since when it began. */
function suspect(series: SeriesState, monitor: MetricMonitor, until: number): void {
  let run = { start: 0, exceeding: 0 };
  let usual = 0;
  eachUnusual(series, monitor, until - longestIncidentSeconds, (time, isUnusual) => {
    usual = isUnusual ? 0 : usual + 1;
    if (isUnusual) run = { start: run.start || time, exceeding: run.exceeding + 1 };
    if (usual >= CALM_SAMPLES) run = { start: 0, exceeding: 0 };
  });
  if (run.start === 0) return;
  Object.assign(monitor.spike, { evidence: cusumThreshold, runStart: run.start, exceeding: run.exceeding });
}

/** So many usual samples one after the other end what may be a spike. */
const CALM_SAMPLES = 5;

/** When the first sample after the last unusual one since `changeAt` was; null where there is none. */
function quietSince(series: SeriesState, monitor: MetricMonitor, changeAt: number): number | null {
  let quiet: number | null = null;
  eachUnusual(series, monitor, changeAt, (time, isUnusual) => {
    quiet = isUnusual ? null : (quiet ?? time);
  });
  return quiet;
}

/** Says of each sample of a metric since an instant whether it is unusual. */
function eachUnusual(
  { history }: SeriesState,
  { place, baseline, shape, offset }: MetricMonitor,
  since: number,
  visit: (time: number, isUnusual: boolean) => void,
): void {
  if (baseline === null) return;
  eachSample(unpack(history), place, (time, log) => {
    if (time < since) return;
    const position = positionInDay(time, offset);
    const [usual, spread] = [valueAt(shape.value, position), valueAt(shape.spread, position)];
    visit(time, exceeds(baseline, Math.exp(log), log, usual, spread));
  });
}
