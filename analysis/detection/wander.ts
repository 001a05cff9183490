import { KEPT } from './half-hours.ts';
import { flatValues, type Levels } from './levels.ts';

/** Half hours before a window that are its reference, and how many of them there must be. */
export const REFERENCE = 96;
export const LEAST_REFERENCE = 9;

/** What every line wanders by, in the logarithm, until its own past says more; and how many windows that belief weighs. */
const PRIOR = 0.015;
const PRIOR_WEIGHT = 2;

/** A normal distribution's variance is this many times its squared mean distance: which one long incident moves less. */
const OF_MEAN_DISTANCE = Math.PI / 2;

/**
 * How far means of `window` half hours are from the mean of what preceded them when nothing happens: the standard
 * deviation by the mean distance of the line's own past windows since its last change, the present one left out. It holds what a standard
 * error does not know of: drift, congestion that lasts for hours, days that differ.
 */
export function wanderOf(levels: Levels, window: number): number {
  const end = levels.now + 1 - window;
  const first = Math.max(levels.since, levels.now + 1 - KEPT);
  if (end <= first) return PRIOR;
  const values = flatValues(levels, levels.table, first, end, 'calm');
  const mean = runningMeans(values);
  let distances = 0;
  let seen = 0;
  for (let to = window + LEAST_REFERENCE; to <= values.length; to++) {
    const off = mean(to - window, to) - mean(Math.max(0, to - window - REFERENCE), to - window);
    if (Number.isNaN(off)) continue;
    distances += Math.abs(off);
    seen += 1;
  }
  const independent = seen / window;
  const own = seen > 0 ? OF_MEAN_DISTANCE * (distances / seen) ** 2 * independent : 0;
  const variance = (own + PRIOR_WEIGHT * PRIOR ** 2) / (independent + PRIOR_WEIGHT);
  // What few windows have shown may well be exceeded: as Student's distribution is wider than the normal one.
  return Math.sqrt(variance) * (1 + 1 / (independent + PRIOR_WEIGHT));
}

/** The mean of what is known in [from, to); NaN where that is less than half. */
function runningMeans(values: Float64Array): (from: number, to: number) => number {
  const sums = new Float64Array(values.length + 1);
  const counts = new Float64Array(values.length + 1);
  values.forEach((value, index) => {
    const known = !Number.isNaN(value);
    sums[index + 1] = (sums[index] as number) + (known ? value : 0);
    counts[index + 1] = (counts[index] as number) + (known ? 1 : 0);
  });
  return (from, to) => {
    const n = (counts[to] as number) - (counts[from] as number);
    return n < (to - from) / 2 ? Number.NaN : ((sums[to] as number) - (sums[from] as number)) / n;
  };
}
