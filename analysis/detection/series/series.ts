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
  placeInDay,
  placeOfSlot,
  slotOf,
} from '../history/half-hours.ts';
import { samplesSince } from '../history/history.ts';
import { emptyRecent, type Recent, remember } from '../history/recent.ts';
import { endIfSilent, type FailureWatch, newFailureWatch, observeOutcome } from '../monitor/failures.ts';
import {
  endIfLong,
  newWatched,
  observe,
  refresh,
  reshape,
  restart,
  shapeAt,
  type Watched,
} from '../monitor/monitor.ts';
import { newPathWitness, type PathWitness, pathIsHigh, refreshWitness, teachWitness } from '../monitor/path-witness.ts';
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
import { flatValues, known, type Levels } from './levels.ts';

/** All that is known of one series; plain data. */
export type Line = {
  series: Series;
  tls: Watched;
  connect: Watched | null;
  firstByte: Watched | null;
  failures: FailureWatch | null;
  halfHours: HalfHours;
  connectShape: DailyShape;
  /** Says whether the path is slow too. */
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

export function newLine(series: Series, offset: number, spikesOn: readonly Metric[]): Line {
  const watch = (metric: Metric) => (spikesOn.includes(metric) ? newWatched(offset) : null);
  return {
    series,
    tls: newWatched(offset),
    connect: watch('connect'),
    firstByte: watch('firstByte'),
    failures: spikesOn.includes('failures') ? newFailureWatch() : null,
    halfHours: emptyHalfHours(),
    connectShape: flatShape(),
    path: newPathWitness(),
    filling: emptyFilling(),
    recent: emptyRecent(),
    changes: [0],
    accepted: { at: 0, sign: 0 },
    period: 0,
    last: 0,
  };
}

/** Takes one sample into account; the metrics on which a spike is raised by it. */
export function take(line: Line, sample: Sample): Metric[] {
  const raised: Metric[] = [];
  const see = (metric: 'tls' | 'connect' | 'firstByte') => {
    const watched = line[metric];
    const value = sample[metric];
    if (watched === null || value === null || value <= 0) return;
    const witness = metric === 'tls' ? askPath(line, sample) : null;
    if (observe(watched, sample.timestamp, value, witness) === 'raised') raised.push(metric);
  };
  see('tls');
  if (!line.tls.spike.open) teachPath(line, sample);
  see('connect');
  see('firstByte');
  if (line.failures && observeOutcome(line.failures, sample.timestamp, sample.ok)) raised.push('failures');
  fill(line.filling, sample, line.tls.spike.open);
  remember(line.recent, sample);
  const distance = Math.min(longestPeriod, sample.timestamp - line.last);
  line.period =
    line.period === 0 ? (line.last === 0 ? 0 : distance) : line.period + (distance - line.period) / periodMemory;
  line.last = sample.timestamp;
  return raised;
}

/** How often connect and TLS time are high together where connect is so now; null where it is not. */
function askPath({ path, connectShape, tls }: Line, { timestamp, connect }: Sample): number | null {
  if (connect === null || connect <= 0) return null;
  return pathIsHigh(path, connect, connectShape, placeInDay(timestamp, tls.offset)) ? path.rate : null;
}

function teachPath({ path, connectShape, tls }: Line, { timestamp, connect }: Sample): void {
  if (connect === null || connect <= 0) return;
  teachWitness(path, connect, connectShape, placeInDay(timestamp, tls.offset), tls.witnessed);
}

/** Ends a half hour, at the first instant `now` after it. */
export function closeHalfHour(line: Line, slot: number, offset: number, now: number): void {
  const { halfHours, tls, failures } = line;
  for (const watched of [tls, line.connect, line.firstByte]) if (watched) endIfLong(watched, now);
  if (failures) endIfSilent(failures, line.last, now);
  close(halfHours, slot, line.filling, clipOf(tls, slot));
  line.filling = emptyFilling();
  const relearn = (slot + offset / slotSeconds) % shapePeriodSlots === 0;
  if (relearn)
    line.connectShape = learnShape(halfHours, halfHours.connect, line.connectShape, slot, offset, line.changes);
  refreshWitness(
    line.path,
    known(flatValues(connectLevels(line, slot), halfHours.connect, slot + 1 - slotsPerDay, slot + 1, 'all')),
  );
  for (const [watched, table] of tablesOf(line)) {
    refresh(watched);
    if (relearn) reshape(watched, learnShape(halfHours, table, watched.shape, slot, offset, line.changes), offset);
  }
}

/** Above what would be part of a spike a value says no more about the level; below, everything counts. */
function clipOf(tls: Watched, slot: number): Clip | null {
  if (tls.baseline === null) return null;
  const usual = shapeAt(tls, middleOfSlot(slot));
  const { median, clip } = tls.baseline;
  return { low: usual + median - winsorAt, high: usual + clip };
}

function tablesOf({ halfHours, tls, connect, firstByte }: Line): [Watched, Float32Array][] {
  const tables: [Watched, Float32Array][] = [[tls, halfHours.mean]];
  if (connect) tables.push([connect, halfHours.connect]);
  if (firstByte) tables.push([firstByte, halfHours.firstByte]);
  return tables;
}

/** The slot in which the last lasting change began. */
export function sinceOf(line: Line): number {
  return line.changes.at(-1) ?? 0;
}

/** TLS time as a test for lasting changes sees it, up to a slot. */
export function tlsLevels(line: Line, slot: number): Levels {
  const { halfHours, tls } = line;
  const { shape, offset } = tls;
  const since = sinceOf(line);
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

/** Connect, which moves along where the path changed. */
export function connectLevels(line: Line, slot: number): Levels {
  const { halfHours } = line;
  const shape = line.connectShape;
  return { ...tlsLevels(line, slot), table: halfHours.connect, quartiles: false, leastMs: tcpShiftFloorMs, shape };
}

/** What the half hours [from, to] did to a line's phases. */
export function contrastSince(line: Line, from: number, to: number): Contrast | null {
  return contrastOfHalfHours(line.halfHours, sinceOf(line), from, to);
}

/** What the samples since `start` did. */
export function contrastAt({ recent }: Line, start: number): Contrast | null {
  return contrastOfRecent(recent, start);
}

/** Begins anew after a lasting change. False where it is the last one, seen again: what was dated too early shows twice. */
export function acceptChange(line: Line, changeAt: number, effect: number, now: number): boolean {
  const again = Math.sign(effect) === line.accepted.sign && changeAt < line.accepted.at + repeatedShiftSeconds;
  line.accepted = { at: now, sign: Math.sign(effect) };
  line.changes.push(slotOf(changeAt) + 1);
  if (line.changes.length > changeCapacity) line.changes.shift();
  restart(line.tls, changeAt);
  clipAnew(line, sinceOf(line));
  return !again;
}

/** What was clipped by the old level's measure is clipped by the new one's: else the new level seems to change again. */
function clipAnew({ tls, halfHours }: Line, since: number): void {
  const bySlot = Map.groupBy(samplesSince(tls.history, since * slotSeconds), ({ timestamp }) => slotOf(timestamp));
  for (const [slot, samples] of bySlot) {
    const place = placeOfSlot(halfHours, slot);
    const clip = clipOf(tls, slot);
    if (place < 0 || clip === null) continue;
    halfHours.mean[place] = clippedMean(
      samples.map(({ log }) => log),
      clip,
    );
    halfHours.spiked[place] = 0;
  }
}
