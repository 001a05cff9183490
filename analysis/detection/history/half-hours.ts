import { calmSpikedShare, causeCapacity, halfHourCapacity, slotSeconds, slotsPerDay, winsorAt } from '../parameters.ts';
import { type Sample, thinkTime } from '../sample.ts';
import { quantileOf } from '../statistics.ts';
import { bytes, floats } from './slabs.ts';

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

/** Logarithms of ms, but `think` in ms: `mean` of the clipped TLS times, and quartiles of them; medians of the others. */
export type Table = 'mean' | 'low' | 'middle' | 'high' | 'tcp' | 'firstByte' | 'think';

/** What is asked of 8 days, and what of as many half hours as a cause is looked for in. */
const LONG: readonly Table[] = ['mean', 'tcp', 'firstByte'];
const SHORT: readonly Table[] = ['low', 'middle', 'high', 'think'];

/**
 * What is kept of a series' half hours. Rows of `LONG` at `slot % halfHourCapacity`, of `SHORT` at `slot % causeCapacity`; NaN
 * where nothing was measured.
 */
export type HalfHours = {
  long: Float32Array;
  short: Float32Array;
  /** A bit a slot: whether so much of it was in a spike that it counts for no usual level. */
  spiked: Uint8Array;
  /** The newest slot; -1 before the first. */
  newest: number;
};

/**
 * The half hour that is being filled, a row a sample: logarithms of TLS time, TCP connect and first byte, think time in
 * ms; NaN where a phase did not happen.
 */
export type Filling = { rows: Float32Array; count: number; spiked: number };
const COLUMNS = 4;
const FIRST_ROWS = 32;

export function emptyHalfHours(): HalfHours {
  return {
    long: floats(LONG.length * halfHourCapacity).fill(Number.NaN),
    short: floats(SHORT.length * causeCapacity).fill(Number.NaN),
    spiked: bytes(halfHourCapacity / 8),
    newest: -1,
  };
}

export function emptyFilling(): Filling {
  return { rows: floats(COLUMNS * FIRST_ROWS), count: 0, spiked: 0 };
}

export function fill(filling: Filling, sample: Sample, inSpike: boolean): void {
  const log = (ms: number | null) => (ms !== null && ms > 0 ? Math.log(ms) : Number.NaN);
  const tls = log(sample.tls);
  putRow(filling, [tls, log(sample.tcp), log(sample.firstByte), thinkTime(sample) ?? Number.NaN]);
  if (inSpike && !Number.isNaN(tls)) filling.spiked += 1;
}

export function putRow(filling: Filling, row: readonly number[]): void {
  const { rows, count } = filling;
  if (COLUMNS * count === rows.length) {
    filling.rows = new Float32Array(2 * rows.length);
    filling.rows.set(rows);
  }
  filling.rows.set(row, COLUMNS * count);
  filling.count += 1;
}

/** What a half hour comes to. `share` is of its samples, those that were in a spike. */
export type HalfHour = { of: Record<Table, number>; share: number };

/** Stores a half hour that is over, and begins another one. */
export function close(halfHours: HalfHours, slot: number, filling: Filling, clip: Clip | null): void {
  clearUpTo(halfHours, slot);
  const found = halfHourOf(filling, clip);
  filling.count = 0;
  filling.spiked = 0;
  if (found) putHalfHour(halfHours, slot, found);
}

/** Null where no TLS time was measured. Without limits to clip at, those about its own median. */
export function halfHourOf(filling: Filling, clip: Clip | null): HalfHour | null {
  const tls = sortedColumn(filling, 0);
  if (tls.length === 0) return null;
  const { spiked } = filling;
  const [tcp, firstByte, think] = [1, 2, 3].map((column) => middleOf(sortedColumn(filling, column))) as [
    number,
    number,
    number,
  ];
  const mean = clippedMean(tls, clip ?? aroundOwnMedian(tls));
  const [low, middle, high] = [0.25, 0.5, 0.75].map((q) => quantileOf(tls, q)) as [number, number, number];
  return { of: { mean, low, middle, high, tcp, firstByte, think }, share: spiked / tls.length };
}

/**
 * Writes a slot, a new or an earlier one, as far back as anything is kept. One in which a spike was seen stays so.
 */
export function putHalfHour(halfHours: HalfHours, slot: number, { of, share }: HalfHour): void {
  clearUpTo(halfHours, slot);
  const { newest } = halfHours;
  if (slot <= newest - halfHourCapacity) return;
  putValues(halfHours.long, LONG.length * (slot % halfHourCapacity), LONG, of);
  if (slot > newest - causeCapacity) putValues(halfHours.short, SHORT.length * (slot % causeCapacity), SHORT, of);
  if (share >= calmSpikedShare) setSpiked(halfHours, slot, true);
}

function putValues(into: Float32Array, at: number, tables: readonly Table[], of: HalfHour['of']): void {
  for (let index = 0; index < tables.length; index++) into[at + index] = of[tables[index] as Table];
}

/** What a table has of a slot; NaN where nothing was measured, or it is no longer kept. */
export function slotValue(halfHours: HalfHours, table: Table, slot: number): number {
  const { newest, long, short } = halfHours;
  if (slot > newest || slot < 0) return Number.NaN;
  const inLong = LONG.indexOf(table);
  if (inLong >= 0)
    return slot <= newest - halfHourCapacity
      ? Number.NaN
      : (long[LONG.length * (slot % halfHourCapacity) + inLong] as number);
  return slot <= newest - causeCapacity
    ? Number.NaN
    : (short[SHORT.length * (slot % causeCapacity) + SHORT.indexOf(table)] as number);
}

/** Whether a slot is known: TLS time was measured in it. */
export function isKnown(halfHours: HalfHours, slot: number): boolean {
  return !Number.isNaN(slotValue(halfHours, 'mean', slot));
}

/** Whether `calmSpikedShare` of a slot, or more, was in a spike. */
export function isSpiked({ spiked }: HalfHours, slot: number): boolean {
  const position = slot % halfHourCapacity;
  return (((spiked[position >> 3] as number) >> (position & 7)) & 1) === 1;
}

/** Another mean of a slot that is known, which counts as calm. */
export function setMean(halfHours: HalfHours, slot: number, mean: number): void {
  halfHours.long[LONG.length * (slot % halfHourCapacity)] = mean;
  setSpiked(halfHours, slot, false);
}

function setSpiked({ spiked }: HalfHours, slot: number, isIn: boolean): void {
  const position = slot % halfHourCapacity;
  const bit = 1 << (position & 7);
  const others = (spiked[position >> 3] as number) & ~bit;
  spiked[position >> 3] = isIn ? others | bit : others;
}

/** Nothing is known of the slots after the newest one up to `slot`, which is the newest from now on. */
function clearUpTo(halfHours: HalfHours, slot: number): void {
  const { long, short, newest } = halfHours;
  for (let missed = Math.max(newest + 1, slot - halfHourCapacity + 1); missed <= slot; missed++) {
    const inLong = LONG.length * (missed % halfHourCapacity);
    const inShort = SHORT.length * (missed % causeCapacity);
    long.fill(Number.NaN, inLong, inLong + LONG.length);
    short.fill(Number.NaN, inShort, inShort + SHORT.length);
    setSpiked(halfHours, missed, false);
  }
  halfHours.newest = Math.max(newest, slot);
}

/** What a column of the half hour that is being filled holds, ascending. */
function sortedColumn({ rows, count }: Filling, column: number): Float64Array {
  const values = new Float64Array(count);
  let known = 0;
  for (let row = 0; row < count; row++) {
    const value = rows[COLUMNS * row + column] as number;
    if (!Number.isNaN(value)) values[known++] = value;
  }
  return values.subarray(0, known).sort();
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

function middleOf(sorted: Float64Array): number {
  return sorted.length === 0 ? Number.NaN : quantileOf(sorted, 0.5);
}
