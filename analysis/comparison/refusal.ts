// Where two windows cannot be compared, and why: too few results, windows that overlap or lie far apart, holes, a second change.

import type { ComparisonRefusal } from '#contract/comparison.ts';
import { LEAST_PAIRS, LEAST_VANTAGES } from './effect.ts';
import { countPairs, longestGap, type Pair, type Pairing, type Window } from './pairs.ts';
import { flipsOf } from './posture.ts';
import type { Sample } from './sample.ts';

/** Windows that are further apart are not compared: too much else changes meanwhile. */
export const LARGEST_DISTANCE_MS = 24 * 3_600_000;
/** A stretch of a window without any result: at most so long, or this share of the window where that is longer. */
const LONGEST_HOLE_MS = 10 * 60_000;
const LONGEST_HOLE_SHARE = 1 / 3;
/** A change that somebody noted inside the windows, besides the one that the comparison is about. */
export type OtherChange = { at: number; title: string };

export type Windows = { before: Window; after: Window };

/** Why these windows say nothing of each other; null where they do. */
export function* refusalOf(
  before: readonly Sample[],
  after: readonly Sample[],
  windows: Windows,
  pairing: Pairing,
  changes: readonly OtherChange[],
): Generator<void, ComparisonRefusal | null> {
  const { pairs } = pairing;
  if (before.length === 0 || after.length === 0) return tooFew(pairing);
  if (windows.before.from < windows.after.to && windows.after.from < windows.before.to)
    return { reason: 'overlap', values: {} };
  const distance = Math.max(windows.after.from - windows.before.to, windows.before.from - windows.after.to);
  if (distance > LARGEST_DISTANCE_MS) return { reason: 'gap', values: { between: 'windows', ms: distance } };
  if (pairs.length < LEAST_VANTAGES || countPairs(pairs) < LEAST_PAIRS) return tooFew(pairing);
  for (const side of ['before', 'after'] as const) {
    const window = windows[side];
    const hole = longestGap(
      window,
      pairs.flatMap((pair) => pair[side]),
    );
    if (hole > Math.max(LONGEST_HOLE_MS, LONGEST_HOLE_SHARE * (window.to - window.from)))
      return { reason: 'gap', values: { between: side, ms: hole } };
  }
  return yield* secondChange(windows, pairs, changes);
}

export const tooFew = ({ pairs }: Pairing): ComparisonRefusal => ({
  reason: 'too_few',
  values: { pairs: countPairs(pairs), vantages: pairs.length, leastPairs: LEAST_PAIRS, leastVantages: LEAST_VANTAGES },
});

/** Another change inside a window: one that somebody noted, or a setting that flips in its middle. */
function* secondChange(
  windows: Windows,
  pairs: readonly Pair[],
  changes: readonly OtherChange[],
): Generator<void, ComparisonRefusal | null> {
  for (const side of ['before', 'after'] as const) {
    const { from, to } = windows[side];
    const noted = changes.find(({ at }) => at > from && at < to);
    if (noted) return { reason: 'two_changes', values: { window: side, marker: noted.title } };
    yield;
    const middle = (from + to) / 2;
    const samples = pairs.flatMap((pair) => pair[side]);
    const [flip] = flipsOf(
      samples.filter(({ at }) => at < middle),
      samples.filter(({ at }) => at >= middle),
    );
    if (flip) return { reason: 'two_changes', values: { window: side, setting: flip.setting } };
  }
  return null;
}
