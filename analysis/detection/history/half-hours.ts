import { halfHourCapacity, slotSeconds, slotsPerDay, winsorAt } from '../parameters.ts';
import { type Sample, thinkTime } from '../sample.ts';
import { ascending, quantileOf } from '../statistics.ts';

/** The half hour that holds a time, counted from the epoch. */
export function slotOf(timestamp: number): number {
  return Math.floor(timestamp / slotSeconds);
}

/**
 * Place in a table of two days, a working day and then a day of the weekend, with fractions: 0 is midnight of the
 * working day, 48 that of the weekend. `offset` is local time less UTC, in seconds.
 */
export function placeInDay(timestamp: number, offset: number): number {
  const local = timestamp + offset;
  const day = Math.floor(local / 86_400);
  const slot = (local - day * 86_400) / slotSeconds;
  return isWeekend(day) ? slot + slotsPerDay : slot;
}

/** Day 0, 1970-01-01, was a Thursday. */
function isWeekend(day: number): boolean {
  const weekday = (day + 4) % 7;
  return weekday === 0 || weekday === 6;
}

/** What logarithms are clipped to, so that one lost segment does not weigh as ten samples. */
export type Clip = { low: number; high: number };

/**
 * What is kept of a line's half hours, each at `slot % halfHourCapacity`; a place holds another slot, or none, unless `slots` says so.
 * Logarithms of ms, but `think` in ms; NaN where nothing was measured.
 */
export type HalfHours = {
  slots: Int32Array;
  count: Uint16Array;
  /** Mean of the clipped logarithms of TLS time, and its quartiles. */
  mean: Float32Array;
  low: Float32Array;
  middle: Float32Array;
  high: Float32Array;
  /** Medians of connect and first byte (logarithms) and of the server's time to think (ms). */
  connect: Float32Array;
  firstByte: Float32Array;
  think: Float32Array;
  /** The share of samples that were taken during a spike. */
  spiked: Float32Array;
};

/** The half hour that is being filled. */
export type Filling = { tls: number[]; connect: number[]; firstByte: number[]; think: number[]; spiked: number };

export function emptyHalfHours(): HalfHours {
  const floats = () => new Float32Array(halfHourCapacity).fill(Number.NaN);
  return {
    slots: new Int32Array(halfHourCapacity).fill(-1),
    count: new Uint16Array(halfHourCapacity),
    mean: floats(),
    low: floats(),
    middle: floats(),
    high: floats(),
    connect: floats(),
    firstByte: floats(),
    think: floats(),
    spiked: floats(),
  };
}

export function emptyFilling(): Filling {
  return { tls: [], connect: [], firstByte: [], think: [], spiked: 0 };
}

export function fill(filling: Filling, sample: Sample, inSpike: boolean): void {
  if (sample.tls !== null && sample.tls > 0) {
    filling.tls.push(Math.log(sample.tls));
    if (inSpike) filling.spiked += 1;
  }
  if (sample.connect !== null && sample.connect > 0) filling.connect.push(Math.log(sample.connect));
  if (sample.firstByte !== null && sample.firstByte > 0) filling.firstByte.push(Math.log(sample.firstByte));
  const think = thinkTime(sample);
  if (think !== null) filling.think.push(think);
}

/** Stores a half hour that is over. */
export function close(halfHours: HalfHours, slot: number, filling: Filling, clip: Clip | null): void {
  const place = slot % halfHourCapacity;
  const tls = ascending(filling.tls);
  halfHours.slots[place] = tls.length > 0 ? slot : -1;
  if (tls.length === 0) return;
  halfHours.count[place] = tls.length;
  halfHours.mean[place] = clippedMean(tls, clip ?? aroundOwnMedian(tls));
  halfHours.low[place] = quantileOf(tls, 0.25);
  halfHours.middle[place] = quantileOf(tls, 0.5);
  halfHours.high[place] = quantileOf(tls, 0.75);
  halfHours.connect[place] = middleOf(filling.connect);
  halfHours.firstByte[place] = middleOf(filling.firstByte);
  halfHours.think[place] = middleOf(filling.think);
  halfHours.spiked[place] = filling.spiked / tls.length;
}

/** Where a slot is kept, or -1. */
export function placeOfSlot({ slots }: HalfHours, slot: number): number {
  const place = slot % halfHourCapacity;
  return slots[place] === slot ? place : -1;
}

/** The middle of a slot, epoch seconds. */
export function middleOfSlot(slot: number): number {
  return (slot + 0.5) * slotSeconds;
}

function aroundOwnMedian(sorted: Float64Array): Clip {
  const median = quantileOf(sorted, 0.5);
  return { low: median - winsorAt, high: median + winsorAt };
}

export function clippedMean(values: ArrayLike<number> & Iterable<number>, { low, high }: Clip): number {
  let sum = 0;
  for (const value of values) sum += Math.max(low, Math.min(high, value));
  return sum / values.length;
}

function middleOf(values: number[]): number {
  return values.length === 0 ? Number.NaN : quantileOf(ascending(values), 0.5);
}
