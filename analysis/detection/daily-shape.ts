import { DAY_SLOTS, placeInDay } from './clock.ts';
import { type HalfHours, KEPT, middleOfSlot, placeOfSlot } from './half-hours.ts';

/**
 * How the logarithm moves over the day about the day's own level, by half hour: 48 places of a working day, then 48 of a
 * day of the weekend. `spread` is how far a day may be from it (standard deviation).
 */
export type DailyShape = { value: Float32Array; spread: Float32Array };

const PLACES = 2 * DAY_SLOTS;
/** Below this nothing is learnt: less than a day cannot tell its shape from a change. */
const LEAST_SLOTS = 40;
/** How many days of the other kind weigh as much as one of its own. */
const BORROWED = 0.7;
/** Spread before there are days to compare: a part that every line has, and a part of the shape's own height. */
const PRIOR_SPREAD = 0.03;
const PRIOR_OF_HEIGHT = 0.3;
/** Without any day of its kind, a weekend may differ from working days by this part of the shape's height. */
const UNSEEN_KIND = 0.35;

export function flatShape(): DailyShape {
  return { value: new Float32Array(PLACES), spread: new Float32Array(PLACES).fill(2 * PRIOR_SPREAD) };
}

/** The shape and its spread at a place of `placeInDay`, between the middles of two half hours of the same kind of day. */
export function valueAt(table: Float32Array, place: number): number {
  const kind = place >= DAY_SLOTS ? DAY_SLOTS : 0;
  const shifted = place - kind - 0.5;
  const below = Math.floor(shifted);
  const first = table[kind + ((below + DAY_SLOTS) % DAY_SLOTS)] as number;
  const second = table[kind + ((below + 1) % DAY_SLOTS)] as number;
  return first + (shifted - below) * (second - first);
}

/**
 * Learns the shape of one of the tables of `halfHours` anew from the days in store; `changes` are the slots in which a
 * lasting change began.
 */
export function learnShape(
  halfHours: HalfHours,
  table: Float32Array,
  old: DailyShape,
  now: number,
  offset: number,
  changes: number[],
): DailyShape {
  const days = deviations(halfHours, table, old, now, offset, changes);
  if (days.length < LEAST_SLOTS) return old;
  const sums = new Float64Array(PLACES);
  const counts = new Float64Array(PLACES);
  for (const { place, deviation } of days) {
    sums[place] = (sums[place] as number) + deviation;
    counts[place] = (counts[place] as number) + 1;
  }
  const value = valuesOf(sums, counts);
  return { value, spread: spreadOf(days, value, counts) };
}

type Deviation = { place: number; deviation: number };

/** How far each half hour was from the level of its day, which is taken over 24 hours between the same two changes. */
function deviations(
  halfHours: HalfHours,
  table: Float32Array,
  old: DailyShape,
  now: number,
  offset: number,
  changes: number[],
): Deviation[] {
  const first = now - KEPT + 1;
  const sums = new Float64Array(KEPT + 1);
  const counts = new Float64Array(KEPT + 1);
  const values: { slot: number; place: number; value: number }[] = [];
  for (let slot = first; slot <= now; slot++) {
    const at = placeOfSlot(halfHours, slot);
    const known = at >= 0 && (halfHours.spiked[at] as number) < 0.2 && !Number.isNaN(table[at]);
    const index = slot - first;
    let flat = 0;
    if (known) {
      const place = Math.floor(placeInDay(middleOfSlot(slot), offset));
      const value = table[at] as number;
      flat = value - (old.value[place] as number);
      values.push({ slot, place, value });
    }
    sums[index + 1] = (sums[index] as number) + flat;
    counts[index + 1] = (counts[index] as number) + (known ? 1 : 0);
  }
  const found: Deviation[] = [];
  for (const { slot, place, value } of values) {
    const [from, to] = dayAround(slot, first, now, changes);
    const n = (counts[to - first] as number) - (counts[from - first] as number);
    if (n < 12) continue;
    const level = ((sums[to - first] as number) - (sums[from - first] as number)) / n;
    found.push({ place, deviation: value - level });
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
  const from = Math.max(low, Math.min(slot - DAY_SLOTS / 2, high - DAY_SLOTS));
  return [from, Math.min(high, from + DAY_SLOTS)];
}

function valuesOf(sums: Float64Array, counts: Float64Array): Float32Array {
  const raw = new Float64Array(PLACES);
  for (let place = 0; place < PLACES; place++) {
    const other = (place + DAY_SLOTS) % PLACES;
    const own = counts[place] as number;
    const all = own + (counts[other] as number);
    const both = all > 0 ? ((sums[place] as number) + (sums[other] as number)) / all : 0;
    raw[place] = all > 0 ? ((sums[place] as number) + BORROWED * both) / (own + BORROWED) : 0;
  }
  return smoothed(raw);
}

/** A mean over five half hours, weighted 1 2 3 2 1, within a kind of day. */
function smoothed(raw: Float64Array): Float32Array {
  return Float32Array.from(raw, (_, place) => {
    const kind = place >= DAY_SLOTS ? DAY_SLOTS : 0;
    let sum = 0;
    for (let step = -2; step <= 2; step++) {
      sum += (3 - Math.abs(step)) * (raw[kind + ((place - kind + step + DAY_SLOTS) % DAY_SLOTS)] as number);
    }
    return sum / 9;
  });
}

function spreadOf(days: Deviation[], value: Float32Array, counts: Float64Array): Float32Array {
  const squares = new Float64Array(PLACES);
  for (const { place, deviation } of days) {
    const off = deviation - (value[place] as number);
    squares[place] = (squares[place] as number) + off * off;
  }
  const variance = Float64Array.from(squares, (sum, place) => {
    const own = counts[place] as number;
    const height = Math.abs(value[place] as number);
    const prior = PRIOR_SPREAD + PRIOR_OF_HEIGHT * height;
    const unseen = own === 0 ? UNSEEN_KIND * height : 0;
    // The mean of few days is off itself; what few days lack in evidence the prior gives.
    return ((sum + prior * prior) / (own + 1)) * (1 + 1 / (own + 1)) + unseen * unseen;
  });
  return smoothed(variance).map(Math.sqrt);
}
