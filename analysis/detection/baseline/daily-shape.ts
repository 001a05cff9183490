import { type HalfHours, isSpiked, middleOfSlot, positionInDay, slotValue, type Table } from '../history/half-hours.ts';
import { floats } from '../history/slabs.ts';
import {
  halfHourCapacity,
  otherKindWeight,
  shapeLeastSlots,
  shapePeriodSlots,
  slotsPerDay,
  spreadPrior,
  spreadPriorOfHeight,
  spreadUnknown,
} from '../parameters.ts';

/**
 * How the logarithm moves over the day about the day's own level, by half hour: 48 places of a working day, then 48 of a
 * day of the weekend. `spread` is how far a day may be from it (standard deviation).
 */
export type DailyShape = { value: Float32Array; spread: Float32Array };

const POSITIONS = 2 * slotsPerDay;

/** Shared by all series that have not learnt one: an evening may be above the morning by that much. */
const FLAT: DailyShape = {
  value: new Float32Array(POSITIONS),
  spread: new Float32Array(POSITIONS).fill(spreadUnknown),
};

export function flatShape(): DailyShape {
  return FLAT;
}

/** A shape in the place of another one of the same series. */
export function placed(shape: DailyShape, old: DailyShape): DailyShape {
  const { value, spread } = shape;
  if (shape === old) return old;
  const kept = old === FLAT ? { value: floats(POSITIONS), spread: floats(POSITIONS) } : old;
  kept.value.set(value);
  kept.spread.set(spread);
  return kept;
}

/** Whether nothing has been learnt yet. */
export function isUnknown({ spread }: DailyShape): boolean {
  return spread.every((each) => each === Math.fround(spreadUnknown));
}

/** The shape and its spread at a position of `positionInDay`, interpolated between the middles of two half hours of the same kind of day. */
export function valueAt(table: Float32Array, position: number): number {
  const between = betweenOf(position);
  const first = table[between.first] as number;
  return first + between.part * ((table[between.second] as number) - first);
}

/** The two half hours between whose middles a position of `positionInDay` lies, and how far it is from the first one's to the other's. */
export function betweenOf(position: number): { first: number; second: number; part: number } {
  const kind = position >= slotsPerDay ? slotsPerDay : 0;
  const shifted = position - kind - 0.5;
  const below = Math.floor(shifted);
  return {
    first: kind + ((below + slotsPerDay) % slotsPerDay),
    second: kind + ((below + 1) % slotsPerDay),
    part: shifted - below,
  };
}

/** The days up to the slot `now` in one of the tables of `halfHours`; `changes` are the slots in which a lasting change began. */
export type StoredDays = { halfHours: HalfHours; table: Table; now: number; offset: number; changes: number[] };

/** Learns the shape again from the stored days. */
export function learnShape(stored: StoredDays, old: DailyShape): DailyShape {
  const days = deviations(stored, old);
  if (days.length < shapeLeastSlots) return old;
  const byPosition = usualOf(days);
  const value = valuesOf(byPosition);
  return { value, spread: spreadOf(days, byPosition, value) };
}

/** The same without an old shape: the levels between changes, of which the shape, and both once more with it. */
export function learnFromScratch(stored: StoredDays): DailyShape {
  return learnShape(stored, learnShape(stored, FLAT));
}

type Deviation = { position: number; deviation: number; spiked: boolean };

/**
 * Deviations by position, without those of spikes: unless a spike is all that is known of that time of day, or recurs at
 * the same time, for then it is the time of day.
 */
function usualOf(days: readonly Deviation[]): number[][] {
  const calm: number[][] = Array.from({ length: POSITIONS }, () => []);
  const spiked: number[][] = Array.from({ length: POSITIONS }, () => []);
  for (const { position, deviation, spiked: inSpike } of days) (inSpike ? spiked : calm)[position]?.push(deviation);
  return calm.map((own, position) => {
    const others = calm[(position + slotsPerDay) % POSITIONS] as number[];
    const again = spiked[position] as number[];
    return again.length >= 2 || (again.length === 1 && own.length + others.length < 2) ? [...own, ...again] : own;
  });
}

/** How far each half hour was from the level of its day, which is taken over 24 hours between the same two changes. */
function deviations({ halfHours, table, now, offset, changes }: StoredDays, old: DailyShape): Deviation[] {
  const first = now - halfHourCapacity + 1;
  const sums = new Float64Array(halfHourCapacity + 1);
  const counts = new Float64Array(halfHourCapacity + 1);
  const values: { slot: number; position: number; value: number; spiked: boolean }[] = [];
  for (let slot = first; slot <= now; slot++) {
    const value = slotValue(halfHours, table, slot);
    const known = !Number.isNaN(value);
    const index = slot - first;
    let residual = 0;
    if (known) {
      const position = Math.floor(positionInDay(middleOfSlot(slot), offset));
      residual = value - (old.value[position] as number);
      values.push({ slot, position, value, spiked: isSpiked(halfHours, slot) });
    }
    sums[index + 1] = (sums[index] as number) + residual;
    counts[index + 1] = (counts[index] as number) + (known ? 1 : 0);
  }
  const found: Deviation[] = [];
  for (const { slot, position, value, spiked } of values) {
    const [from, to] = dayAround(slot, first, now, changes);
    const n = (counts[to - first] as number) - (counts[from - first] as number);
    if (n < shapePeriodSlots) continue;
    const level = ((sums[to - first] as number) - (sums[from - first] as number)) / n;
    found.push({ position, deviation: value - level, spiked });
  }
  return found;
}

/** The 24 hours [from, to) around a slot, moved so that they lie within the store and between changes where they can. */
function dayAround(slot: number, first: number, now: number, changes: number[]): [number, number] {
  let low = first;
  let high = now + 1;
  for (const change of changes) {
    if (change <= slot) low = Math.max(low, change);
    else high = Math.min(high, change);
  }
  const from = Math.max(low, Math.min(slot - slotsPerDay / 2, high - slotsPerDay));
  return [from, Math.min(high, from + slotsPerDay)];
}

function valuesOf(byPosition: readonly number[][]): Float32Array {
  const raw = byPosition.map((own, position) => {
    const other = byPosition[(position + slotsPerDay) % POSITIONS] as number[];
    const all = own.length + other.length;
    if (all === 0) return 0;
    return (own.length * middleOf(own, []) + otherKindWeight * middleOf(own, other)) / (own.length + otherKindWeight);
  });
  return smoothed(Float64Array.from(raw));
}

/** The mean of both together without the lowest and highest quarter, so that a day with an incident does not bend the shape; 0 of nothing. */
function middleOf(some: readonly number[], others: readonly number[]): number {
  const count = some.length + others.length;
  const cut = Math.floor((count + 1) / 4);
  if (count === 2 * cut) return 0;
  for (let index = 0; index < some.length; index++) insert(some[index] as number, index);
  for (let index = 0; index < others.length; index++) insert(others[index] as number, some.length + index);
  let sum = 0;
  for (let index = cut; index < count - cut; index++) sum += SORTED[index] as number;
  return sum / (count - 2 * cut);
}

/** Puts a value among the first `count` of `SORTED`, which ascend: of a dozen days that takes a fraction of what sorting an array does. */
function insert(value: number, count: number): void {
  let at = count;
  for (; at > 0 && (SORTED[at - 1] as number) > value; at--) SORTED[at] = SORTED[at - 1] as number;
  SORTED[at] = value;
}
const SORTED = new Float64Array(halfHourCapacity);

/** A mean over five half hours, weighted 1 2 3 2 1, within a kind of day. */
function smoothed(raw: Float64Array): Float32Array {
  return Float32Array.from(raw, (_, position) => {
    const kind = position >= slotsPerDay ? slotsPerDay : 0;
    let sum = 0;
    for (let step = -2; step <= 2; step++) {
      sum += (3 - Math.abs(step)) * (raw[kind + ((position - kind + step + slotsPerDay) % slotsPerDay)] as number);
    }
    return sum / 9;
  });
}

/**
 * What a day is off by over some hours: single half hours' own noise is left out, since the baseline knows it and means
 * over windows lose it.
 */
function spreadOf(days: readonly Deviation[], byPosition: readonly number[][], value: Float32Array): Float32Array {
  const squares = new Float64Array(POSITIONS);
  const counts = new Float64Array(POSITIONS);
  const off = Float64Array.from(days, ({ position, deviation }) => deviation - (value[position] as number));
  days.forEach(({ position, spiked }, index) => {
    if (spiked) return;
    squares[position] = (squares[position] as number) + meanAround(off, index) ** 2;
    counts[position] = (counts[position] as number) + 1;
  });
  const variance = Float64Array.from(squares, (sum, position) => {
    const n = counts[position] as number;
    const height = Math.abs(value[position] as number);
    const prior = spreadPrior + spreadPriorOfHeight * height;
    // A first weekend: no day of its kind was seen.
    const unseen = byPosition[position]?.length === 0 ? prior : 0;
    // The mean of few days is off itself; what few days lack in evidence the prior gives.
    return ((sum + prior * prior) / (n + 1)) * (1 + 1 / (n + 1)) + unseen * unseen;
  });
  return smoothed(variance).map(Math.sqrt);
}

/** The mean of a value and the two before and after it. */
function meanAround(values: Float64Array, index: number): number {
  const [from, to] = [Math.max(0, index - 2), Math.min(values.length, index + 3)];
  let sum = 0;
  for (let each = from; each < to; each++) sum += values[each] as number;
  return sum / (to - from);
}
