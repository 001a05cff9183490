import { halfHourCapacity, slotSeconds, slotsPerDay, winsorAt } from '../parameters.ts';
import { type Sample, thinkTime } from '../sample.ts';
import { ascending, quantileOf } from '../statistics.ts';

/** The half hour that holds a time, counted from the epoch. */
export function slotOf(timestamp: number): number {
  return Math.floor(timestamp / slotSeconds);
}

/**
 * Position in a table of two days, a working day and then a day of the weekend, with fractions: 0 is midnight of the
 * working day, 48 that of the weekend. `offset` is local time less UTC, in seconds.
 */
export function positionInDay(timestamp: number, offset: number): number {
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

/** Limits of winsorising, logarithm: one lost segment must not weigh as ten samples. */
export type Clip = { low: number; high: number };

/**
 * What is kept of a series' half hours, each at `slot % halfHourCapacity`; a position holds that slot only where `slots`
 * has its number.
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
  /** Medians of connect and first byte (logarithms) and of the server's think time (ms). */
  tcp: Float32Array;
  firstByte: Float32Array;
  think: Float32Array;
  /** The share of samples that were taken during a spike. */
  spiked: Float32Array;
};

/** The half hour that is being filled. */
export type Filling = { tls: number[]; tcp: number[]; firstByte: number[]; think: number[]; spiked: number };

export function emptyHalfHours(): HalfHours {
  const floats = () => new Float32Array(halfHourCapacity).fill(Number.NaN);
  return {
    slots: new Int32Array(halfHourCapacity).fill(-1),
    count: new Uint16Array(halfHourCapacity),
    mean: floats(),
    low: floats(),
    middle: floats(),
    high: floats(),
    tcp: floats(),
    firstByte: floats(),
    think: floats(),
    spiked: floats(),
  };
}

export function emptyFilling(): Filling {
  return { tls: [], tcp: [], firstByte: [], think: [], spiked: 0 };
}

export function fill(filling: Filling, sample: Sample, inSpike: boolean): void {
  if (sample.tls !== null && sample.tls > 0) {
    filling.tls.push(Math.log(sample.tls));
    if (inSpike) filling.spiked += 1;
  }
  if (sample.tcp !== null && sample.tcp > 0) filling.tcp.push(Math.log(sample.tcp));
  if (sample.firstByte !== null && sample.firstByte > 0) filling.firstByte.push(Math.log(sample.firstByte));
  const think = thinkTime(sample);
  if (think !== null) filling.think.push(think);
}

/** Stores a half hour that is over. */
export function close(halfHours: HalfHours, slot: number, filling: Filling, clip: Clip | null): void {
  const position = slot % halfHourCapacity;
  const tls = ascending(filling.tls);
  halfHours.slots[position] = tls.length > 0 ? slot : -1;
  if (tls.length === 0) return;
  halfHours.count[position] = tls.length;
  halfHours.mean[position] = clippedMean(tls, clip ?? aroundOwnMedian(tls));
  halfHours.low[position] = quantileOf(tls, 0.25);
  halfHours.middle[position] = quantileOf(tls, 0.5);
  halfHours.high[position] = quantileOf(tls, 0.75);
  halfHours.tcp[position] = middleOf(filling.tcp);
  halfHours.firstByte[position] = middleOf(filling.firstByte);
  halfHours.think[position] = middleOf(filling.think);
  halfHours.spiked[position] = filling.spiked / tls.length;
}

/** Position of a slot, or -1. */
export function positionOfSlot({ slots }: HalfHours, slot: number): number {
  const position = slot % halfHourCapacity;
  return slots[position] === slot ? position : -1;
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
