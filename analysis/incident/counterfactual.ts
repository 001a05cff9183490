import { medianOf } from '../detection/statistics.ts';

// What the times of an incident would be by now without it. The level before its onset is that of other hours: the evening is slower
// anyway, and the network may have moved for everybody since. Of each series
//
//   without = before × shape × median over unaffected series of (their now ÷ their before ÷ their shape)
//
// where `shape` is the usual level of a series at the hours of now ÷ that at the hours before (analysis/usual-level.ts). Where it is not
// known, the series is compared with what unaffected ones did as such, their evening included. With fewer than three of these their factor
// is 1. Of an incident it is the median over its series, and so is what they are now.

/** Results that a level needs. */
export const LEAST_RESULTS = 5;
/** Of an incident's series so many must have them: the few that answer first are no measure of all. */
export const LEAST_MEASURED = 0.5;
/** Series whose median says something: with two, one that is odd is half of it. */
export const LEAST_UNAFFECTED = 3;

/** A median of `results` results of a series in ms. */
export type Level = { ms: number; results: number };
/** `shape`: by what a series usually moves from the hours before to those of now, 1 for not at all; null: not known. */
export type AffectedSeries = { beforeMs: number; now: Level; shape: number | null };
export type UnaffectedSeries = { before: Level; now: Level; shape: number | null };

/** Medians over `series` in ms; `siblings` is how many unaffected ones were compared. */
export type Without = { withoutMs: number; nowMs: number; series: number; siblings: number };

/** Null where less than half of the series have enough results. */
export function withoutIncident(
  all: readonly AffectedSeries[],
  unaffected: readonly UnaffectedSeries[],
): Without | null {
  const measured = all.filter(({ now }) => isKnown(now));
  if (measured.length === 0 || measured.length < LEAST_MEASURED * all.length) return null;
  const known = unaffected.filter(({ before, now }) => isKnown(before) && isKnown(now));
  const asSuch = movementOf(known.map((each) => ({ ...each, shape: 1 })));
  const beyondUsual = movementOf(known);
  const without = measured.map(
    ({ beforeMs, shape }) => beforeMs * (shape ?? 1) * (shape === null ? asSuch : beyondUsual).factor,
  );
  const compared = measured.map(({ shape }) => (shape === null ? asSuch : beyondUsual).series);
  return {
    withoutMs: medianOf(without),
    nowMs: medianOf(measured.map(({ now }) => now.ms)),
    series: measured.length,
    siblings: Math.max(...compared),
  };
}

const isKnown = ({ ms, results }: Level) => ms > 0 && results >= LEAST_RESULTS;

/** By what these moved beyond their shapes; those without one are left out. */
function movementOf(unaffected: readonly UnaffectedSeries[]): { factor: number; series: number } {
  const moved = unaffected.flatMap(({ before, now, shape }) => (shape === null ? [] : now.ms / before.ms / shape));
  return moved.length < LEAST_UNAFFECTED ? { factor: 1, series: 0 } : { factor: medianOf(moved), series: moved.length };
}
