// One series: one target at one vantage, and all that is known of it. `take` gives a sample to the monitors and the rings;
// `closeHalfHour` ends a half hour: it stores its means, refreshes the baselines and, every 6 hours, learns the daily
// shape; `acceptChange` begins anew after a lasting change. `levels.ts` shows half hours as the tests for lasting changes see
// them; `groups.ts` knows which series share a target, a carrier or a vantage.

import { type DailyShape, flatShape, learnShape } from '../baseline/daily-shape.ts';
import { type Contrast, contrastOfHalfHours, contrastOfRecent } from '../causes/contrast.ts';
import type { Metric } from '../detection.ts';
import {
  type Clip,
  clippedMean,
  close,
  emptyFilling,
  emptyHalfHours,
  type Filling,
  fill,
  type HalfHours,
  middleOfSlot,
  positionInDay,
  positionOfSlot,
  slotOf,
} from '../history/half-hours.ts';
import { eachSampleBack, logAt } from '../history/history.ts';
import { emptyRecent, type Recent, remember } from '../history/recent.ts';
import { endIfSilent, type FailureMonitor, newFailureMonitor, observeOutcome } from '../monitor/failures.ts';
import {
  endIfLong,
  type MetricMonitor,
  newMonitor,
  observe,
  refresh,
  reshape,
  restart,
  shapeAt,
} from '../monitor/monitor.ts';
import { isPathHigh, learnWitness, newPathWitness, type PathWitness, refreshWitness } from '../monitor/path-witness.ts';
import {
  changeCapacity,
  longestPeriod,
  periodMemory,
  repeatedShiftSeconds,
  shapePeriodSlots,
  slotSeconds,
  slotsPerDay,
  tcpShiftFloorMs,
  tlsShiftFloorMs,
  winsorAt,
} from '../parameters.ts';
import type { Sample, Series } from '../sample.ts';
import { known, type Levels, residualsOf } from './levels.ts';

/** All that is known of one series; plain data. */
export type SeriesState = {
  id: Series;
  tls: MetricMonitor;
  tcp: MetricMonitor | null;
  firstByte: MetricMonitor | null;
  failures: FailureMonitor | null;
  halfHours: HalfHours;
  tcpShape: DailyShape;
  /** TCP connect as a second witness. */
  path: PathWitness;
  filling: Filling;
  recent: Recent;
  /** The first slots after lasting changes, oldest first. */
  changes: number[];
  /** When the last one was accepted (epoch seconds, 0 for never), and its direction. */
  accepted: { at: number; sign: number };
  /** The mean distance of samples, seconds, and the time of the last one. */
  period: number;
  last: number;
};

export function newSeries(id: Series, offset: number, spikesOn: readonly Metric[]): SeriesState {
  const monitorIf = (metric: Metric) => (spikesOn.includes(metric) ? newMonitor(offset) : null);
  return {
    id,
    tls: newMonitor(offset),
    tcp: monitorIf('tcp'),
    firstByte: monitorIf('firstByte'),
    failures: spikesOn.includes('failures') ? newFailureMonitor() : null,
    halfHours: emptyHalfHours(),
    tcpShape: flatShape(),
    path: newPathWitness(),
    filling: emptyFilling(),
    recent: emptyRecent(),
    changes: [0],
    accepted: { at: 0, sign: 0 },
    period: 0,
    last: 0,
  };
}

/** Takes one sample into account; returns the metrics on which it raises a spike. */
export function take(series: SeriesState, sample: Sample): Metric[] {
  const raised: Metric[] = [];
  const see = (metric: 'tls' | 'tcp' | 'firstByte') => {
    const monitor = series[metric];
    const value = sample[metric];
    if (monitor === null || value === null || value <= 0) return;
    const witness = metric === 'tls' ? jointRateIfHigh(series, sample) : null;
    if (observe(monitor, sample.timestamp, value, witness) === 'raised') raised.push(metric);
  };
  see('tls');
  if (!series.tls.spike.open) learnPath(series, sample);
  see('tcp');
  see('firstByte');
  if (series.failures && observeOutcome(series.failures, sample.timestamp, sample.ok)) raised.push('failures');
  fill(series.filling, sample, series.tls.spike.open);
  remember(series.recent, sample);
  const distance = Math.min(longestPeriod, sample.timestamp - series.last);
  series.period =
    series.period === 0
      ? series.last === 0
        ? 0
        : distance
      : series.period + (distance - series.period) / periodMemory;
  series.last = sample.timestamp;
  return raised;
}

/** The rate at which connect and TLS time are high together, where connect is high now; else null. */
function jointRateIfHigh({ path, tcpShape, tls }: SeriesState, { timestamp, tcp }: Sample): number | null {
  if (tcp === null || tcp <= 0) return null;
  return isPathHigh(path, tcp, tcpShape, positionInDay(timestamp, tls.offset)) ? path.rate : null;
}

function learnPath({ path, tcpShape, tls }: SeriesState, { timestamp, tcp }: Sample): void {
  if (tcp === null || tcp <= 0) return;
  learnWitness(path, tcp, tcpShape, positionInDay(timestamp, tls.offset), tls.witnessed);
}

/** Ends a half hour, at the first instant `now` after it. */
export function closeHalfHour(series: SeriesState, slot: number, offset: number, now: number): void {
  const { halfHours, tls, failures } = series;
  for (const monitor of [tls, series.tcp, series.firstByte]) if (monitor) endIfLong(monitor, now);
  if (failures) endIfSilent(failures, series.last, now);
  close(halfHours, slot, series.filling, clipOf(tls, slot));
  series.filling = emptyFilling();
  const relearn = (slot + offset / slotSeconds) % shapePeriodSlots === 0;
  const stored = { halfHours, now: slot, offset, changes: series.changes };
  if (relearn) series.tcpShape = learnShape({ ...stored, table: halfHours.tcp }, series.tcpShape);
  refreshWitness(
    series.path,
    known(residualsOf(tcpLevels(series, slot), halfHours.tcp, slot + 1 - slotsPerDay, slot + 1, 'all')),
  );
  for (const [monitor, table] of tablesOf(series)) {
    refresh(monitor);
    if (relearn) reshape(monitor, learnShape({ ...stored, table }, monitor.shape), offset);
  }
}

/** Half-hour means are winsorised: above at what would be part of a spike, far below the median as well. */
function clipOf(tls: MetricMonitor, slot: number): Clip | null {
  if (tls.baseline === null) return null;
  const usual = shapeAt(tls, middleOfSlot(slot));
  const { median, clip } = tls.baseline;
  return { low: usual + median - winsorAt, high: usual + clip };
}

function tablesOf({ halfHours, tls, tcp, firstByte }: SeriesState): [MetricMonitor, Float32Array][] {
  const tables: [MetricMonitor, Float32Array][] = [[tls, halfHours.mean]];
  if (tcp) tables.push([tcp, halfHours.tcp]);
  if (firstByte) tables.push([firstByte, halfHours.firstByte]);
  return tables;
}

/** The slot in which the last lasting change began. */
export function sinceOf(series: SeriesState): number {
  return series.changes.at(-1) ?? 0;
}

/** TLS time as a test for lasting changes sees it, up to a slot. */
export function tlsLevels(series: SeriesState, slot: number): Levels {
  const { halfHours, tls } = series;
  const { shape, offset } = tls;
  const since = sinceOf(series);
  return {
    halfHours,
    table: halfHours.mean,
    quartiles: true,
    leastMs: tlsShiftFloorMs,
    shape,
    offset,
    since,
    now: slot,
  };
}

/** The same of TCP connect, which moves together with TLS time where the path changed. */
export function tcpLevels(series: SeriesState, slot: number): Levels {
  const { halfHours } = series;
  const shape = series.tcpShape;
  return { ...tlsLevels(series, slot), table: halfHours.tcp, quartiles: false, leastMs: tcpShiftFloorMs, shape };
}

/** What the half hours [from, to] did to a series' phases. */
export function contrastSince(series: SeriesState, from: number, to: number): Contrast | null {
  return contrastOfHalfHours(series.halfHours, sinceOf(series), from, to);
}

/** What the samples since `start` did. */
export function contrastAt({ recent }: SeriesState, start: number): Contrast | null {
  return contrastOfRecent(recent, start);
}

/** Restarts the series after a lasting change. False where it is the last change again: one dated too early shows twice. */
export function acceptChange(series: SeriesState, changeAt: number, effect: number, now: number): boolean {
  const again = Math.sign(effect) === series.accepted.sign && changeAt < series.accepted.at + repeatedShiftSeconds;
  series.accepted = { at: now, sign: Math.sign(effect) };
  series.changes.push(slotOf(changeAt) + 1);
  if (series.changes.length > changeCapacity) series.changes.shift();
  restart(series.tls, changeAt);
  clipAnew(series, sinceOf(series));
  return !again;
}

/** Means since the change are winsorised about the new level: else the new level seems to change again. */
function clipAnew({ tls, halfHours }: SeriesState, since: number): void {
  const samples: { slot: number; log: number }[] = [];
  eachSampleBack(tls.history, since * slotSeconds, (position, timestamp) =>
    samples.push({ slot: slotOf(timestamp), log: logAt(tls.history, position) }),
  );
  for (const [slot, ofSlot] of Map.groupBy(samples.reverse(), (sample) => sample.slot)) {
    const position = positionOfSlot(halfHours, slot);
    const clip = clipOf(tls, slot);
    if (position < 0 || clip === null) continue;
    halfHours.mean[position] = clippedMean(
      ofSlot.map(({ log }) => log),
      clip,
    );
    halfHours.spiked[position] = 0;
  }
}
