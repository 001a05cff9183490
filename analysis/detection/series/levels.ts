import type { DailyShape } from '../baseline/daily-shape.ts';
import { type HalfHours, isSpiked, middleOfSlot, positionInDay, slotValue, type Table } from '../history/half-hours.ts';
import { slotsPerDay } from '../parameters.ts';

/** A series' half hours as a test for lasting changes sees them: less the daily shape, and not before the last change. */
export type Levels = {
  halfHours: HalfHours;
  /** The table of `halfHours` that is tested. */
  table: Table;
  /** Whether `halfHours` has quartiles of the same metric, which are tested as well: those of TLS time. */
  quartiles: boolean;
  /** A change is more than this, ms. */
  leastMs: number;
  shape: DailyShape;
  /** Local time less UTC, seconds. */
  offset: number;
  /** The first slot after the last change. */
  since: number;
  /** The first slots after all changes that are remembered, oldest first, that one among them. */
  changes: readonly number[];
  /** The newest slot that is over. */
  now: number;
};

/** All values, or those outside spikes. */
export type Wanted = 'all' | 'calm';

/** Values of one of the tables of `halfHours` in the slots [from, to), oldest first, less the daily shape; NaN where none. */
export function residualsOf(levels: Levels, table: Table, from: number, to: number, wanted: Wanted): Float64Array {
  const { halfHours, shape, offset, since } = levels;
  const values = new Float64Array(to - from).fill(Number.NaN);
  let inDay = positionInDay(middleOfSlot(from), offset);
  for (let slot = from; slot < to; slot++) {
    // Local midnight may begin another kind of day.
    inDay =
      inDay % slotsPerDay >= slotsPerDay - 1
        ? positionInDay(middleOfSlot(slot), offset)
        : slot === from
          ? inDay
          : inDay + 1;
    if (slot < since) continue;
    if (wanted === 'calm' && isSpiked(halfHours, slot)) continue;
    values[slot - from] = slotValue(halfHours, table, slot) - (shape.value[Math.floor(inDay)] as number);
  }
  return values;
}

/** How far the daily shape may be off over the slots [from, to): a mean of standard deviations. */
export function shapeSpread({ shape, offset }: Levels, from: number, to: number): number {
  let sum = 0;
  for (let slot = from; slot < to; slot++) {
    sum += shape.spread[Math.floor(positionInDay(middleOfSlot(slot), offset))] as number;
  }
  return sum / (to - from);
}

/** The values that there are. */
export function known(values: Float64Array): number[] {
  const found: number[] = [];
  for (const value of values) if (!Number.isNaN(value)) found.push(value);
  return found;
}
