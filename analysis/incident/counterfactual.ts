import { medianOf } from '../detection/statistics.ts';

// What the times of an incident would be by now without it. The level before its onset is that of other hours: the evening is slower
// anyway, and the network may have moved for everybody since. Of each series
//
//   without = before × (usual now ÷ usual before) × median over siblings of (their now ÷ their before) ÷ (their usual now ÷ their usual before)
//
// where `before` are the hours that its level before is of, `usual` is the usual level of a series at such hours (analysis/usual-level.ts),
// and siblings are series that share what did not cause it and that no incident touches. Where the usual levels of a series are not known,
// it is compared with what its siblings did as such, their evening included. With fewer than three siblings their factor is 1. Of an
// incident it is the median over its series, and so is what they are now.

/** Results that a level needs. */
export const LEAST_RESULTS = 5;
/** Of an incident's series so many must have them: the few that answer first are no measure of all. */
export const LEAST_MEASURED = 0.5;
/** Siblings whose median says something: with two, one that is odd is half of it. */
export const LEAST_SIBLINGS = 3;

/** A median of `results` results of a series in ms, and what is usual at these hours; null: not known. */
export type Level = { ms: number; results: number; usual: number | null };
/** The levels of a series before the onset and now. */
export type Movement = { before: Level; now: Level };

/**
 * A series of the incident, with its siblings by their keys: the nearest first, as those of the same vantage, then farther ones, as those of
 * the same carrier. The first that are enough count.
 */
export type AffectedSeries = Movement & { siblings: readonly ReadonlyMap<string, Movement>[] };

/** Medians over `series` in ms; `siblings` is how many different ones were compared. */
export type Without = { withoutMs: number; nowMs: number; series: number; siblings: number };

/** Null where less than half of the series have enough results on both sides. */
export function withoutIncident(all: readonly AffectedSeries[]): Without | null {
  const measured = all.filter(isMeasured);
  if (measured.length === 0 || measured.length < LEAST_MEASURED * all.length) return null;
  const compared = new Set<string>();
  const without = measured.map((series) => {
    const shape = shapeOf(series);
    const moved = siblingsOf(series, shape !== null);
    for (const key of moved.keys()) compared.add(key);
    return series.before.ms * (shape ?? 1) * (moved.size === 0 ? 1 : medianOf(moved.values()));
  });
  return {
    withoutMs: medianOf(without),
    nowMs: medianOf(measured.map(({ now }) => now.ms)),
    series: measured.length,
    siblings: compared.size,
  };
}

const isMeasured = ({ before, now }: Movement) => isKnown(before) && isKnown(now);
const isKnown = ({ ms, results }: Level) => ms > 0 && results >= LEAST_RESULTS;

/** By what a series usually moves from the hours before to those of now, 1 for not at all; null where that is not known. */
function shapeOf({ before, now }: Movement): number | null {
  if (before.usual === null || now.usual === null || before.usual <= 0) return null;
  return now.usual / before.usual;
}

/** By what the siblings moved, beyond what is usual or as such; empty where they are too few. */
function siblingsOf({ siblings }: AffectedSeries, beyondUsual: boolean): ReadonlyMap<string, number> {
  for (const near of siblings) {
    const moved = new Map<string, number>();
    for (const [key, sibling] of near) {
      const shape = beyondUsual ? shapeOf(sibling) : 1;
      if (shape !== null && isMeasured(sibling)) moved.set(key, sibling.now.ms / sibling.before.ms / shape);
    }
    if (moved.size >= LEAST_SIBLINGS) return moved;
  }
  return new Map();
}
