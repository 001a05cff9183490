import { DAY_SLOTS, SLOT, slotOf } from './clock.ts';
import { type Contrast, contrastOfHalfHours, contrastOfSamples, type Phases } from './contrast.ts';
import { type DailyShape, flatShape, learnShape } from './daily-shape.ts';
import { type FailureWatch, newFailureWatch, observeOutcome } from './failures.ts';
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
  placeOfSlot,
} from './half-hours.ts';
import { samplesSince } from './history.ts';
import type { Levels } from './levels.ts';
import type { Metric, Sample, Series } from './sample.ts';
import { thinkTime } from './sample.ts';
import { newWatched, observe, refresh, reshape, restart, shapeAt, type Watched } from './watched.ts';

/** The last samples before and in a spike: what its cause is told by. */
type Recent = { next: number; timestamps: Float64Array; tls: Float64Array; connect: Float64Array; think: Float64Array };

/** All that is known of one series; plain data. */
export type Line = {
  series: Series;
  tls: Watched;
  connect: Watched | null;
  firstByte: Watched | null;
  failures: FailureWatch | null;
  halfHours: HalfHours;
  connectShape: DailyShape;
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

const RECENT = 64;
/** A change in the same direction that began within so many seconds of the last one's alert is the last one. */
const AFTER = 3 * 3_600;
/** Lasting changes are more than this, ms. */
const LEAST_TLS = 2.4;
const LEAST_CONNECT = 1.2;
/** Samples before a spike that it is compared with. */
const BEFORE = 30;
/** The daily shape is learnt anew every 6 hours. */
const RELEARN = 12;
/** Logarithms are clipped this far below the median. */
const LOWEST = 0.8;

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
    if (observe(watched, sample.timestamp, value) === 'raised') raised.push(metric);
  };
  see('tls');
  see('connect');
  see('firstByte');
  if (line.failures && observeOutcome(line.failures, sample.timestamp, sample.ok)) raised.push('failures');
  fill(line.filling, sample, line.tls.spike.open);
  remember(line.recent, sample);
  const distance = Math.min(600, sample.timestamp - line.last);
  line.period = line.period === 0 ? (line.last === 0 ? 0 : distance) : line.period + (distance - line.period) / 16;
  line.last = sample.timestamp;
  return raised;
}

/** Ends a half hour. */
export function closeHalfHour(line: Line, slot: number, offset: number): void {
  const { halfHours, tls } = line;
  close(halfHours, slot, line.filling, clipOf(tls, slot));
  line.filling = emptyFilling();
  const relearn = (slot + offset / 1_800) % RELEARN === 0;
  if (relearn)
    line.connectShape = learnShape(halfHours, halfHours.connect, line.connectShape, slot, offset, line.changes);
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
  return { low: usual + median - LOWEST, high: usual + clip };
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
  return { halfHours, table: halfHours.mean, quartiles: true, leastMs: LEAST_TLS, shape, offset, since, now: slot };
}

/** Connect, which moves along where the path changed. */
export function connectLevels(line: Line, slot: number): Levels {
  const { halfHours } = line;
  const shape = line.connectShape;
  return { ...tlsLevels(line, slot), table: halfHours.connect, quartiles: false, leastMs: LEAST_CONNECT, shape };
}

/** What the half hours [from, to] did to a line's phases. */
export function contrastSince(line: Line, from: number, to: number): Contrast | null {
  return contrastOfHalfHours(line.halfHours, sinceOf(line), from, to);
}

/** What the samples since `start` did. */
export function contrastAt({ recent }: Line, start: number): Contrast | null {
  const before: Phases[] = [];
  const during: Phases[] = [];
  for (let age = RECENT; age > 0; age--) {
    const place = (recent.next + RECENT - age) % RECENT;
    const timestamp = recent.timestamps[place] as number;
    if (timestamp === 0) continue;
    const phases = {
      tls: recent.tls[place] as number,
      connect: recent.connect[place] as number,
      think: recent.think[place] as number,
    };
    if (timestamp >= start) during.push(phases);
    else before.push(phases);
  }
  return contrastOfSamples(before.slice(-BEFORE), during);
}

/** Begins anew after a lasting change. False where it is the last one, seen again: what was dated too early shows twice. */
export function acceptChange(line: Line, changeAt: number, effect: number, now: number): boolean {
  const again = Math.sign(effect) === line.accepted.sign && changeAt < line.accepted.at + AFTER;
  line.accepted = { at: now, sign: Math.sign(effect) };
  line.changes.push(slotOf(changeAt) + 1);
  if (line.changes.length > DAY_SLOTS) line.changes.shift();
  restart(line.tls, changeAt);
  clipAnew(line, sinceOf(line));
  return !again;
}

/** What was clipped by the old level's measure is clipped by the new one's: else the new level seems to change again. */
function clipAnew({ tls, halfHours }: Line, since: number): void {
  const bySlot = Map.groupBy(samplesSince(tls.history, since * SLOT), ({ timestamp }) => slotOf(timestamp));
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

function emptyRecent(): Recent {
  const floats = () => new Float64Array(RECENT);
  return { next: 0, timestamps: floats(), tls: floats(), connect: floats(), think: floats() };
}

function remember(recent: Recent, sample: Sample): void {
  const { next } = recent;
  recent.timestamps[next] = sample.timestamp;
  recent.tls[next] = sample.tls ?? Number.NaN;
  recent.connect[next] = sample.connect ?? Number.NaN;
  recent.think[next] = thinkTime(sample) ?? Number.NaN;
  recent.next = (next + 1) % RECENT;
}
