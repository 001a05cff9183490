// One series: one target at one vantage, and all that is known of it. `take` gives a sample to the monitors and the rings;
// `closeHalfHour` ends a half hour: it stores its means, refreshes the baselines and, every 6 hours, learns the daily
// shape; `acceptChange` restarts after a lasting change. `levels.ts` shows half hours as the tests for lasting changes see
// them; `groups.ts` knows which series share a target, a carrier or a vantage.

import { type DailyShape, flatShape, learnFromScratch, learnShape, placed } from '../baseline/daily-shape.ts';
import { changeOfFirstDay } from '../baseline/first-day.ts';
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
  type HalfHour,
  type HalfHours,
  halfHourOf,
  isKnown,
  middleOfSlot,
  positionInDay,
  setMean,
  slotOf,
  type Table,
} from '../history/half-hours.ts';
import { append, eachSample, emptyHistory, FIRST_BYTE, type History, TCP, TLS, unpack } from '../history/history.ts';
import { emptyRecent, type Recent, remember } from '../history/recent.ts';
import { endIfSilent, type FailureMonitor, newFailureMonitor, observeOutcome } from '../monitor/failures.ts';
import {
  endIfLong,
  forget,
  type MetricMonitor,
  newMonitor,
  observe,
  prepare,
  refresh,
  reshape,
  restart,
  shapeAt,
} from '../monitor/monitor.ts';
import { isPathHigh, learnWitness, newPathWitness, type PathWitness, refreshWitness } from '../monitor/path-witness.ts';
import { endRefusals, newRefusalMonitor, observeRefusal, type RefusalMonitor } from '../monitor/refusals.ts';
import {
  halfHourCapacity,
  leastSamples,
  longestPeriod,
  longestSpikeSeconds,
  shapePeriodSlots,
  slotSeconds,
  slotsPerDay,
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
  /** Of handshakes that offer a session; null of others. */
  refused: RefusalMonitor | null;
  history: History;
  halfHours: HalfHours;
  /** The daily shape of TCP connect where that is not watched itself; else its monitor has it. */
  tcpShape: DailyShape | null;
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

/** A series of resumed handshakes has their TLS time and its refused sessions alone: the rest is their check's. */
export function newSeries(id: Series, offset: number, metrics: readonly Metric[]): SeriesState {
  const spikesOn: readonly Metric[] = id.variant === 'resumed' ? ['tls', 'refused'] : metrics;
  const tcp = spikesOn.includes('tcp');
  return {
    id,
    tls: newMonitor(TLS, offset),
    tcp: tcp ? newMonitor(TCP, offset) : null,
    firstByte: spikesOn.includes('firstByte') ? newMonitor(FIRST_BYTE, offset) : null,
    failures: spikesOn.includes('failures') ? newFailureMonitor() : null,
    refused: id.variant === 'resumed' ? newRefusalMonitor() : null,
    history: emptyHistory(),
    halfHours: emptyHalfHours(),
    tcpShape: tcp ? null : flatShape(),
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
  enterHistory(series, sample);
  const see = (metric: 'tls' | 'tcp' | 'firstByte') => {
    const monitor = series[metric];
    const value = sample[metric];
    if (monitor === null || value === null || value <= 0) return;
    const witness = metric === 'tls' ? jointRateIfHigh(series, sample) : null;
    if (observe(monitor, series.history, sample.timestamp, value, witness, sample.ownDelay) === 'raised')
      raised.push(metric);
  };
  see('tls');
  if (!series.tls.spike.open) learnPath(series, sample);
  see('tcp');
  see('firstByte');
  if (series.failures && observeOutcome(series.failures, sample.timestamp, sample.ok)) raised.push('failures');
  if (series.refused && sample.refused !== undefined)
    if (observeRefusal(series.refused, sample.timestamp, sample.refused)) raised.push('refused');
  fill(series.filling, sample, series.tls.spike.open);
  remember(series.recent, sample);
  const distance = Math.min(longestPeriod, sample.timestamp - series.last);
  series.period =
    series.period === 0
      ? series.last === 0
        ? 0
        : distance
      : series.period + (distance - series.period) / leastSamples;
  series.last = sample.timestamp;
  return raised;
}

/** The history gets what is watched, after what ended before. */
function enterHistory(series: SeriesState, sample: Sample): void {
  const { history, tls, tcp, firstByte } = series;
  const { timestamp } = sample;
  const logs = [
    logOf(tls, history, timestamp, sample.tls),
    logOf(tcp, history, timestamp, sample.tcp),
    logOf(firstByte, history, timestamp, sample.firstByte),
  ] as const;
  if (logs[TLS] === null && logs[TCP] === null && logs[FIRST_BYTE] === null) return;
  append(history, timestamp, logs, (metric, time, log) => {
    const monitor = metric === TLS ? tls : metric === TCP ? tcp : firstByte;
    if (monitor) forget(monitor, time, log);
  });
}

function logOf(
  monitor: MetricMonitor | null,
  history: History,
  timestamp: number,
  value: number | null,
): number | null {
  if (monitor === null || value === null || value <= 0) return null;
  prepare(monitor, history, timestamp);
  return Math.log(value);
}

function tcpShapeOf({ tcp, tcpShape }: SeriesState): DailyShape {
  return tcp?.shape ?? tcpShape ?? flatShape();
}

/** The rate at which connect and TLS time are high together, where connect is high now; else null. */
function jointRateIfHigh(series: SeriesState, { timestamp, tcp, ownDelay = 0 }: Sample): number | null {
  if (tcp === null || tcp <= ownDelay) return null;
  const { path, tls } = series;
  return isPathHigh(path, tcp - ownDelay, tcpShapeOf(series), positionInDay(timestamp, tls.offset)) ? path.rate : null;
}

function learnPath(series: SeriesState, { timestamp, tcp }: Sample): void {
  if (tcp === null || tcp <= 0) return;
  const { path, tls } = series;
  learnWitness(path, tcp, tcpShapeOf(series), positionInDay(timestamp, tls.offset), tls.witnessed);
}

/** Ends a half hour, at the first instant `now` after it. */
export function closeHalfHour(series: SeriesState, slot: number, offset: number, now: number): void {
  const { halfHours, history, tls, failures } = series;
  for (const monitor of [tls, series.tcp, series.firstByte]) if (monitor) endIfLong(monitor, history, now);
  if (failures) endIfSilent(failures, series.last, now);
  if (series.refused) endRefusals(series.refused, now);
  close(halfHours, slot, series.filling, clipOf(tls, slot));
  if (beginAfterFirstDay(series, slot, offset)) return;
  const relearn = (slot + offset / slotSeconds) % shapePeriodSlots === 0;
  const stored = { halfHours, now: slot, offset, changes: series.changes };
  const samples = unpack(history);
  for (const [monitor, table] of tablesOf(series)) {
    // Without samples it stays as it was, also when its series' others have pushed its own out.
    if (monitor.last >= slot * slotSeconds) refresh(monitor, samples);
    if (relearn) reshape(monitor, samples, learnShape({ ...stored, table }, monitor.shape), offset);
  }
  if (relearn && series.tcpShape !== null)
    series.tcpShape = placed(learnShape({ ...stored, table: 'tcp' }, series.tcpShape), series.tcpShape);
  refreshWitness(
    series.path,
    known(residualsOf(tcpLevels(series, slot), 'tcp', slot + 1 - slotsPerDay, slot + 1, 'all')),
  );
}

/** Restarts from a change of level on the first day: no test could see it, and the first daily shape had learnt it. */
function beginAfterFirstDay(series: SeriesState, slot: number, offset: number): boolean {
  const { halfHours, history, changes } = series;
  const change = changes.length > 1 ? null : changeOfFirstDay(halfHours, slot);
  if (change === null) return false;
  changes.push(change);
  const stored = { halfHours, now: slot, offset, changes };
  // Means were clipped about the old level, and a shape is learnt of means: first with none, then with the one that they show.
  for (const learn of [flatShape, (table: Table) => learnFromScratch({ ...stored, table })]) {
    for (const [monitor, table] of tablesOf(series)) {
      monitor.shape = learn(table);
      monitor.offset = offset;
      restart(monitor, history, change * slotSeconds);
    }
    clipAgain(series, change);
  }
  if (series.tcpShape !== null) series.tcpShape = learnFromScratch({ ...stored, table: 'tcp' });
  return true;
}

/**
 * What a half hour that is over comes to with all of its samples, those that came late too. They are held against what is usual
 * now, or, before the last lasting change, against each other.
 */
export function lateHalfHour({ tls, changes }: SeriesState, slot: number, samples: Iterable<Sample>): HalfHour | null {
  const clip = slot >= (changes.at(-1) ?? 0) ? clipOf(tls, slot) : null;
  const filling = emptyFilling();
  for (const sample of samples) {
    if (sample.clean === false) continue;
    const isUnusual = clip !== null && sample.tls !== null && sample.tls > 0 && Math.log(sample.tls) > clip.high;
    fill(filling, sample, isUnusual);
  }
  return halfHourOf(filling, clip);
}

/** Half-hour means are winsorised: above at what would be part of a spike, far below the median as well. */
function clipOf(tls: MetricMonitor, slot: number): Clip | null {
  if (tls.baseline === null) return null;
  const usual = shapeAt(tls, middleOfSlot(slot));
  const { median, clip } = tls.baseline;
  return { low: usual + median - winsorAt, high: usual + clip };
}

function tablesOf({ tls, tcp, firstByte }: SeriesState): [MetricMonitor, Table][] {
  const tables: [MetricMonitor, Table][] = [[tls, 'mean']];
  if (tcp) tables.push([tcp, 'tcp']);
  if (firstByte) tables.push([firstByte, 'firstByte']);
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
    table: 'mean',
    quartiles: true,
    leastMs: tlsShiftFloorMs,
    shape,
    offset,
    since,
    changes: series.changes,
    now: slot,
  };
}

/** The same of TCP connect, which moves together with TLS time where the path changed. */
export function tcpLevels(series: SeriesState, slot: number): Levels {
  const shape = tcpShapeOf(series);
  return { ...tlsLevels(series, slot), table: 'tcp', quartiles: false, leastMs: tlsShiftFloorMs / 2, shape };
}

/** What the half hours [from, to] did to a series' phases. */
export function contrastSince(series: SeriesState, from: number, to: number): Contrast | null {
  return contrastOfHalfHours(series.halfHours, sinceOf(series), from, to);
}

/** What the samples since `start` did. Soon after another incident they are compared with what was between the two. */
export function contrastAt({ recent, tls }: SeriesState, start: number): Contrast | null {
  const quietSince = tls.spike.again?.quietSince ?? tls.spike.quietSince ?? 0;
  return contrastOfRecent(recent, start, quietSince < start ? quietSince : 0);
}

/** Restarts the series after a lasting change. False where it is the last change again: one dated too early shows twice. */
export function acceptChange(series: SeriesState, changeAt: number, effect: number, now: number): boolean {
  const again = Math.sign(effect) === series.accepted.sign && changeAt < series.accepted.at + longestSpikeSeconds;
  series.accepted = { at: now, sign: Math.sign(effect) };
  series.changes.push(slotOf(changeAt) + 1);
  // Of those before the oldest half hour that is kept the last alone says anything.
  while (series.changes.length > 1 && (series.changes[1] as number) <= slotOf(now) - halfHourCapacity)
    series.changes.shift();
  restart(series.tls, series.history, changeAt);
  clipAgain(series, sinceOf(series));
  return !again;
}

/** Means since the change are winsorised about the new level: else the new level seems to change again. */
function clipAgain({ tls, history, halfHours }: SeriesState, since: number): void {
  const bySlot = new Map<number, number[]>();
  eachSample(unpack(history), TLS, (time, log) => {
    if (time < since * slotSeconds) return;
    const logs = bySlot.get(slotOf(time));
    if (logs) logs.push(log);
    else bySlot.set(slotOf(time), [log]);
  });
  for (const [slot, logs] of bySlot) {
    const clip = clipOf(tls, slot);
    if (clip !== null && isKnown(halfHours, slot)) setMean(halfHours, slot, clippedMean(logs, clip));
  }
}
