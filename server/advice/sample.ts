import type { Result } from '#contract/result.ts';
import type { Target } from '#contract/target.ts';
import type { Range } from '#server/figures/range.ts';
import { findResults } from '#server/results/results.ts';

/** So many Results of each vantage are looked at, spread over the range, with what followed each of them. */
const PER_VANTAGE = 5;
/** A little over a period, so that each vantage has a Result within. */
const STRETCH_PERIODS = 1.1;
/** Most Results of one stretch: 93 vantages with four followers each, and of larger fleets a part. */
const MOST_OF_STRETCH = 500;

/**
 * Some Results of each vantage of a target: all that began in a few stretches of a period each, the first at the end of the
 * range. What runs less often than that gives fewer.
 */
export async function sampleResults(target: Pick<Target, 'id' | 'periodSeconds'>, range: Range): Promise<Result[]> {
  const share = (range.to - range.from) / PER_VANTAGE;
  const length = Math.min(share, target.periodSeconds * STRETCH_PERIODS);
  const ends = Array.from({ length: PER_VANTAGE }, (_, index) => range.to - index * share);
  const stretches = await Promise.all(
    ends.map((to) => findResults(target.id, { from: to - length, to }, MOST_OF_STRETCH)),
  );
  return stretches.flat();
}
