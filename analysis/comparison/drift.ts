// What shifts while nothing changes: the same target in windows before the change, or in the halves of each window.

import { meanOf } from '#analysis/detection/statistics.ts';
import type { Milestone } from '#contract/comparison.ts';
import { serverShift } from './decomposition.ts';
import { type Blocks, blocksOf, effectOf, LEAST, LEAST_PAIRS, LEVEL, type Reading, rttOf, shiftsOf } from './effect.ts';
import { countPairs, type Pair, pairByVantage, type Window } from './pairs.ts';
import { flipsOf } from './posture.ts';
import type { Sample } from './sample.ts';
import { type Interval, meanShift, studentQuantile } from './statistics.ts';

/** A window before the change, and its samples. */
export type Earlier = { window: Window; samples: readonly Sample[] };

/** The window before the change and those before it, until one in which something else flipped; the latest first. */
export function* earlierWindows(
  pairs: readonly Pair[],
  window: Window,
  earlier: readonly Earlier[],
): Generator<void, Earlier[]> {
  const ids = new Set(pairs.map(({ vantage }) => vantage.id));
  const still: Earlier[] = [{ window, samples: pairs.flatMap((pair) => pair.before) }];
  for (const older of earlier) {
    yield;
    const samples = older.samples.filter(({ vantage }) => ids.has(vantage.id));
    if (flipsOf(samples, (still.at(-1) as Earlier).samples).length > 0) break;
    if (countPairs(pairByVantage(samples, (still.at(-1) as Earlier).samples).pairs) < LEAST_PAIRS) break;
    still.push({ window: older.window, samples });
  }
  return still;
}

/**
 * What the server's part of a milestone shifts by from window to window while nothing changes, as half the width of an interval of 95%
 * (ms); null without two such shifts.
 */
export function driftOf(still: readonly Earlier[], milestone: Milestone): number | null {
  const shifts = still.slice(1).flatMap((older, i) => {
    const later = still[i] as Earlier;
    const { pairs } = pairByVantage(older.samples, later.samples);
    return plainShift(pairs, milestone, blocksOf(older.window, later.window)) ?? [];
  });
  return shifts.length < 2 ? null : intervalOf(shifts);
}

/** Half the width of an interval of 95% of what shifts by so much while nothing changes, ms; 0 of nothing. */
const intervalOf = (shifts: readonly number[]) =>
  shifts.length === 0
    ? 0
    : Math.sqrt(meanOf(shifts.map((shift) => shift ** 2))) * studentQuantile(LEVEL, shifts.length);

/** The same from what each window shifts by from its first half to its second: a drift goes on from one window to the next. */
export function driftWithin(pairs: readonly Pair[], { before, after, lengthMs }: Blocks, milestone: Milestone): number {
  const shifts = (['before', 'after'] as const).flatMap((side) => {
    const { from, to } = side === 'before' ? before : after;
    const middle = (from + to) / 2;
    const samples = pairs.flatMap((pair) => pair[side]);
    const [early, late] = [samples.filter(({ at }) => at < middle), samples.filter(({ at }) => at >= middle)];
    const halves = blocksOf({ from, to: middle }, { from: middle, to }, lengthMs);
    return plainShift(pairByVantage(early, late).pairs, milestone, halves) ?? [];
  });
  return intervalOf(shifts);
}

/** What the server's part shifted by, without an interval; null of nothing. */
function plainShift(pairs: readonly Pair[], milestone: Milestone, blocks: Blocks): number | null {
  const shifts = shiftsOf(pairs, ({ milestones }) => milestones[milestone], blocks);
  const shift = serverShift(shifts, shiftsOf(pairs, rttOf, blocks, meanShift), milestone, blocks);
  return Number.isNaN(shift) ? null : shift;
}

/** A against A: what the milestone shifted by before anything was changed. */
export function* earlierShift(still: readonly Earlier[], read: Reading): Generator<void, Interval | null> {
  const [now, older] = still;
  if (!now || !older) return null;
  const { pairs } = pairByVantage(older.samples, now.samples);
  const blocks = blocksOf(older.window, now.window);
  return (yield* effectOf(pairs, read, blocks, { ...LEAST, beside: true }))?.shift ?? null;
}
