import { isSpiked, slotOf } from '../history/half-hours.ts';
import { eachSample, unpack } from '../history/history.ts';
import { shapeAt } from '../monitor/monitor.ts';
import {
  autocorrelationCap,
  firstHourShare,
  historySeconds,
  lastHourShare,
  leastSamples,
  levelSlots,
  modeGapMoved,
  pageFloor,
  persistentShare,
  shareZ,
  shiftRelief,
  shiftWindows,
  shortWindowShare,
  slotSeconds,
  slotsPerDay,
} from '../parameters.ts';
import type { Levels } from '../series/levels.ts';
import type { SeriesState } from '../series/series.ts';
import { autocorrelation } from '../statistics.ts';
import { type Modes, modesOf } from './modes.ts';
import type { Relief, Shift } from './window-test.ts';

/** Shares of samples that are of the slower mode, 0 to 1. */
export type Shares = { before: number; after: number };

/** A lasting change of the share of the slower mode. */
export type ShareShift = {
  /** Half hours that show it. */
  window: number;
  /** By how much the mean logarithm moved with it. */
  effect: number;
  /** What divides the modes, logarithm of ms less the daily shape. */
  divide: number;
  shares: Shares;
};

/** Half hours of 26 hours that end at the present: samples of each, those of the slower mode, and both modes' distances from their medians. */
export type ModeCounts = {
  modes: Modes;
  count: Float64Array;
  above: Float64Array;
  lowerSum: Float64Array;
  upperSum: Float64Array;
};

const SLOTS = historySeconds / slotSeconds;
const WINDOWS = [...new Set(shiftWindows.map(({ window }) => window))];

/** Null of a series of one mode: in one pass over its single samples. */
export function modeCountsOf({ tls, history }: SeriesState, { since, now }: Levels): ModeCounts | null {
  if (tls.baseline === null) return null;
  const from = Math.max(since, now + 1 - SLOTS) * slotSeconds;
  const until = (now + 1) * slotSeconds;
  const times: number[] = [];
  const values: number[] = [];
  eachSample(unpack(history), tls.metric, (time, log) => {
    if (time < from || time >= until) return;
    times.push(time);
    values.push(log - shapeAt(tls, time));
  });
  return countModes(times, values, now, tls.baseline.median);
}

/** The same of samples: epoch seconds, and logarithms less the daily shape, of which `centre` is about the middle. `now` is the newest half hour. */
export function countModes(
  times: readonly number[],
  values: readonly number[],
  now: number,
  centre: number,
): ModeCounts | null {
  const modes = modesOf(values, centre);
  if (modes === null) return null;
  const slots = () => new Float64Array(SLOTS);
  const counts: ModeCounts = { modes, count: slots(), above: slots(), lowerSum: slots(), upperSum: slots() };
  const { divide, lower, upper } = modes;
  // A lost segment must not move a mode.
  const reach = (upper - lower) / 2;
  const add = (sums: Float64Array, slot: number, by: number) => {
    sums[slot] = (sums[slot] as number) + by;
  };
  for (const [index, value] of values.entries()) {
    const slot = slotOf(times[index] as number) - now - 1 + SLOTS;
    add(counts.count, slot, 1);
    if (value > divide) {
      add(counts.above, slot, 1);
      add(counts.upperSum, slot, Math.min(value - upper, reach));
    } else add(counts.lowerSum, slot, Math.max(value - lower, -reach));
  }
  return counts;
}

/**
 * The change of the share that ends at the present and explains most of `shift`, a change of the half-hour means, by the shortest
 * window; or null. `relief` lowers what is asked.
 */
export function findShareShift(
  counts: ModeCounts,
  levels: Pick<Levels, 'halfHours' | 'now' | 'leastMs'>,
  shift: Pick<Shift, 'effect'>,
  relief: Relief = 0,
): ShareShift | null {
  for (const window of WINDOWS) {
    const found = testShare(counts, levels, window, relief);
    if (found && found.effect / shift.effect >= persistentShare) return found;
  }
  return null;
}

function testShare(
  counts: ModeCounts,
  { halfHours, now, leastMs }: Pick<Levels, 'halfHours' | 'now' | 'leastMs'>,
  window: number,
  relief: Relief,
): ShareShift | null {
  const { divide, lower, upper } = counts.modes;
  const start = SLOTS - window;
  const after = slotsWith(counts, start, SLOTS);
  if (after.length < window / 2) return null;
  const before = referenceSlots(counts, { halfHours, now }, start);
  if (before.length < levelSlots) return null;
  const { shares, change, effect } = changeBetween(counts, before, after);
  const asked = shiftRelief[relief];
  if (Math.abs(effect) < pageFloor.lasting.effect * asked.effect) return null;
  if (Math.abs(change) * (Math.exp(upper) - Math.exp(lower)) < leastMs || !haveStayed(counts, before, after))
    return null;
  if (!isMixed(counts, before) && !isMixed(counts, after)) return null;
  if (Math.abs(change) < shareZ * asked.z * standardError(counts, before, after)) return null;
  return persists(counts, start, shares.before, change) ? { window, effect, divide, shares } : null;
}

/** The same change as its onset (epoch seconds) divides it; as found where a side is too short. The window that shows a change may begin elsewhere. */
export function changeAbout(
  counts: ModeCounts,
  levels: Pick<Levels, 'halfHours' | 'now'>,
  found: ShareShift,
  onset: number,
): Pick<ShareShift, 'shares' | 'effect'> {
  const begun = slotOf(onset) - levels.now - 1 + SLOTS;
  const before = referenceSlots(counts, levels, begun);
  const after = slotsWith(counts, begun + 1, SLOTS);
  if (before.length < levelSlots || after.length === 0) return found;
  const { shares, effect } = changeBetween(counts, before, after);
  return Math.sign(effect) === Math.sign(found.effect) ? { shares, effect } : found;
}

/** The shares of two sets of half hours, by how much they differ, and what that does to the mean (a logarithm). */
function changeBetween(counts: ModeCounts, before: readonly number[], after: readonly number[]) {
  const shares: Shares = { before: shareOf(counts, before), after: shareOf(counts, after) };
  const change = shares.after - shares.before;
  return { shares, change, effect: change * (counts.modes.upper - counts.modes.lower) };
}

/** Half hours before `start`, without those of spikes where enough are left. */
function referenceSlots(counts: ModeCounts, { halfHours, now }: Pick<Levels, 'halfHours' | 'now'>, start: number) {
  const all = slotsWith(counts, 0, start);
  const calm = all.filter((slot) => !isSpiked(halfHours, now + 1 - SLOTS + slot));
  return calm.length < levelSlots ? all : calm;
}

const slotsWith = ({ count }: ModeCounts, from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, step) => from + step).filter((at) => (count[at] as number) > 0);

const sumOf = (values: Float64Array, slots: readonly number[]): number =>
  slots.reduce((sum, at) => sum + (values[at] as number), 0);

const shareOf = ({ above, count }: ModeCounts, slots: readonly number[]): number =>
  sumOf(above, slots) / sumOf(count, slots);

/** Whether the modes are where they were, those that both sides have: else the level changed, and no share. */
function haveStayed(
  { modes, count, above, lowerSum, upperSum }: ModeCounts,
  before: number[],
  after: number[],
): boolean {
  const most = modeGapMoved * (modes.upper - modes.lower);
  for (const isUpper of [false, true]) {
    const inMode = (slots: number[]) => (isUpper ? sumOf(above, slots) : sumOf(count, slots) - sumOf(above, slots));
    const sums = isUpper ? upperSum : lowerSum;
    const [early, late] = [inMode(before), inMode(after)];
    if (Math.min(early, late) < leastSamples / 2) continue;
    if (Math.abs(sumOf(sums, after) / late - sumOf(sums, before) / early) > most) return false;
  }
  return true;
}

/** Whether half hours have both modes: where each has one or the other, the level went up and down. */
function isMixed({ count, above }: ModeCounts, slots: readonly number[]): boolean {
  const [total, upper] = [sumOf(count, slots), sumOf(above, slots)];
  if (Math.min(upper, total - upper) < leastSamples / 2) return false;
  const within = slots.reduce((sum, slot) => {
    const [n, slow] = [count[slot] as number, above[slot] as number];
    return sum + (slow * (n - slow)) / n;
  }, 0);
  return within >= (upper * (total - upper)) / total / 2;
}

/**
 * Of the difference of two shares. A half hour is one observation, not its samples: bursts of slow ones make half hours differ by more than
 * chance does, and those that follow each other alike.
 */
function standardError(counts: ModeCounts, before: number[], after: number[]): number {
  const rho = autocorrelation(beyondShare(counts, before), autocorrelationCap);
  return Math.sqrt(((1 + rho) / (1 - rho)) * (varianceOf(counts, before) + varianceOf(counts, after)));
}

/** How many slow samples each half hour has beyond what the share makes usual. */
function beyondShare(counts: ModeCounts, slots: readonly number[]): number[] {
  const share = shareOf(counts, slots);
  return slots.map((at) => (counts.above[at] as number) - share * (counts.count[at] as number));
}

/** Of a share: by how much half hours differ from it, and at least what chance does. */
function varianceOf(counts: ModeCounts, slots: number[]): number {
  const share = shareOf(counts, slots);
  const total = sumOf(counts.count, slots);
  const square = beyondShare(counts, slots).reduce((sum, off) => sum + off * off, 0);
  // Laplace's rule of succession: a share of none is not known to be none.
  const likely = (share * total + 1) / (total + 2);
  return Math.max((square * slots.length) / (slots.length - 1) / total ** 2, (likely * (1 - likely)) / total);
}

/** Every third of the window shows the change, and neither end lacks it, as far as chance with so few samples allows to say. */
function persists(counts: ModeCounts, start: number, early: number, change: number): boolean {
  const lacks = (from: number, to: number, part: number) => {
    const slots = slotsWith(counts, from, to);
    const total = sumOf(counts.count, slots);
    if (total === 0) return false;
    const share = shareOf(counts, slots);
    const asked = early + part * change;
    const chance = Math.sqrt((asked * (1 - asked)) / total);
    return Math.sign(change) * (share - asked) < -(Number.isNaN(chance) ? 0 : chance);
  };
  const length = SLOTS - start;
  const third = Math.round(length / 3);
  for (let from = start; length < slotsPerDay / 2 && from + 3 <= SLOTS; from++)
    if (lacks(from, from + 3, shortWindowShare)) return false;
  if (lacks(start, start + third, persistentShare) || lacks(start + third, SLOTS - third, persistentShare))
    return false;
  if (lacks(SLOTS - third, SLOTS, persistentShare)) return false;
  return !(lacks(start, start + 2, firstHourShare) || lacks(SLOTS - 2, SLOTS, lastHourShare));
}
