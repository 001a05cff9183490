import { type Distribution, quantileIn, shareBetween, sigmaIn } from './distribution.ts';

/** What is usual on a line, over the last 24 hours or since its last lasting change; logarithms less the daily shape. */
export type Baseline = {
  median: number;
  sigma: number;
  /** A value above this exceeds; the uncertainty of the daily shape comes on top. */
  limit: number;
  /** The share of the line's samples above `limit`. */
  exceedRate: number;
  /** Half-hour means are clipped here: above every mode that holds a tenth of the samples. */
  clip: number;
  /** Samples it rests on. */
  count: number;
};

/** An excess is never less than 20%. */
const LEAST_EXCESS = Math.log(1.2);
/** Means are clipped no nearer to the median than this, nor to the 90th percentile. */
const LEAST_CLIP = 0.3;
const ABOVE_MODE = Math.log(1.1);
/** Nor is it less than 9 ms. */
const LEAST_MS = 9;

/** Null before anything is learnt. */
export function baselineOf(distribution: Distribution): Baseline | null {
  const { total } = distribution;
  if (total === 0) return null;
  const median = quantileIn(distribution, 0.5);
  const sigma = sigmaIn(distribution, median);
  // Of two modes the median absolute deviation sees the distance; the 95th percentile is at the upper one's edge.
  const reach = Math.min(3 * sigma, quantileIn(distribution, 0.95) - median + ABOVE_MODE);
  const limit = median + Math.max(reach, LEAST_EXCESS);
  const exceedRate = shareBetween(distribution, limit, Number.POSITIVE_INFINITY);
  const clip = Math.max(limit, quantileIn(distribution, 0.9) + ABOVE_MODE, median + LEAST_CLIP);
  return { median, sigma, limit, exceedRate, clip, count: total };
}

/** Whether a logarithm less the shape is as far below what is usual as one that exceeds is above it. */
export function fallsShort({ median, limit }: Baseline, flat: number, spread: number): boolean {
  return flat < median - Math.hypot(limit - median, 3 * spread);
}

/** Whether a value (ms) is unusual where the daily shape is `shape`, known to within `spread`. */
export function exceeds(baseline: Baseline, value: number, log: number, shape: number, spread: number): boolean {
  return isAbove(baseline.limit, baseline, value, log, shape, spread);
}

/** Whether it is above the median by what an incident is at least, and by half of what is unusual. */
export function isHigh(baseline: Baseline, value: number, log: number, shape: number, spread: number): boolean {
  const reach = (baseline.limit - baseline.median) / 2;
  return isAbove(baseline.median + Math.max(LEAST_EXCESS, reach), baseline, value, log, shape, spread);
}

function isAbove(
  limit: number,
  { median }: Baseline,
  value: number,
  log: number,
  shape: number,
  spread: number,
): boolean {
  return log - shape > median + Math.hypot(limit - median, 3 * spread) && value > Math.exp(median + shape) + LEAST_MS;
}
