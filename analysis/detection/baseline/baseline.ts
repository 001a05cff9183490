// What is usual. Every half hour the samples of the last 26 hours that are not part of a spike, less the daily shape, are
// counted into a distribution, a baseline (median, deviation, limit) is computed from it, and samples are compared with that.
// `daily-shape.ts` learns the shape of the day every 6 hours from the half hours.

import {
  excessFloor,
  excessFloorMs,
  sigmaLimit,
  sigmaPerMad,
  upperModeQuantile,
  winsorFloor,
  winsorQuantile,
} from '../parameters.ts';

/** Bins of the distribution, logarithm: 1%. Memory. */
const binWidth = 0.01;
/** Bins of the distribution: from 1.6 below the centre to 6.08 above it, a retransmission of 3 s over 10 ms among them. Memory. */
const binCount = 768;
/** The bin that begins at the centre. */
const centreBin = 160;
/** Distance of the median from the centre at which the centre moves, logarithm: half of what is below it. Definition. */
export const recentreAt = binWidth * (centreBin / 2);

/** What is usual on a series, over the last 24 hours or since its last lasting change; logarithms less the daily shape. */
export type Baseline = {
  median: number;
  sigma: number;
  /** A value above this exceeds; the uncertainty of the daily shape comes on top. */
  limit: number;
  /** The share of the series' samples above `limit`. */
  exceedRate: number;
  /** Half-hour means are clipped here: above every mode that holds a tenth of the samples. */
  clip: number;
  /** Samples it rests on. */
  count: number;
};

/** Null before anything is learnt. */
export function baselineOf(distribution: Distribution): Baseline | null {
  const { total } = distribution;
  if (total === 0) return null;
  const median = quantileIn(distribution, 0.5);
  const sigma = sigmaIn(distribution, median);
  // Of two modes the median absolute deviation sees the distance; the 95th percentile is at the upper one's edge.
  const reach = Math.min(sigmaLimit * sigma, quantileIn(distribution, upperModeQuantile) - median);
  const limit = median + Math.max(reach, excessFloor);
  const exceedRate = shareBetween(distribution, limit, Number.POSITIVE_INFINITY);
  const clip = Math.max(limit, quantileIn(distribution, winsorQuantile), median + winsorFloor);
  return { median, sigma, limit, exceedRate, clip, count: total };
}

/** Whether a logarithm less the shape is as far below what is usual as one that exceeds is above it. */
export function fallsShort({ median, limit }: Baseline, residual: number, spread: number): boolean {
  return residual < median - Math.hypot(limit - median, sigmaLimit * spread);
}

/** Whether a value (ms) is unusual where the daily shape is `shape`, known to within `spread`. */
export function exceeds(baseline: Baseline, value: number, log: number, shape: number, spread: number): boolean {
  return isAbove(baseline.limit, baseline, value, log, shape, spread);
}

/** Whether it is above the median by what an incident is at least. */
export function isHigh(baseline: Baseline, value: number, log: number, shape: number, spread: number): boolean {
  return isAbove(baseline.median + excessFloor, baseline, value, log, shape, spread);
}

function isAbove(
  limit: number,
  { median }: Baseline,
  value: number,
  log: number,
  shape: number,
  spread: number,
): boolean {
  return (
    log - shape > median + Math.hypot(limit - median, sigmaLimit * spread) &&
    value > Math.exp(median + shape) + excessFloorMs
  );
}

/** Counts of logarithms in bins of 1%, from 1.6 below `centre` to 6 above it; what lies beyond falls into the outermost bins. */
export type Distribution = { centre: number; counts: Uint16Array; total: number };

export function emptyDistribution(centre: number): Distribution {
  return { centre, counts: new Uint16Array(binCount), total: 0 };
}

/** The same distribution with another centre and nothing in it. */
export function emptied(distribution: Distribution, centre: number): Distribution {
  distribution.centre = centre;
  distribution.counts.fill(0);
  distribution.total = 0;
  return distribution;
}

/** Adds (`by` 1) or takes away (`by` -1) a logarithm. */
export function count(distribution: Distribution, log: number, by: 1 | -1): void {
  const bin = binOf(distribution, log);
  distribution.counts[bin] = (distribution.counts[bin] as number) + by;
  distribution.total += by;
}

/** The value that a share `q` does not exceed, interpolated inside its bin; the distribution is not empty. */
export function quantileIn({ centre, counts, total }: Distribution, q: number): number {
  const rank = q * total;
  let seen = 0;
  let bin = 0;
  for (; bin < binCount - 1; bin++) {
    const next = seen + (counts[bin] as number);
    if (next >= rank && next > 0) break;
    seen = next;
  }
  const inside = counts[bin] as number;
  return centre + (bin - centreBin + (inside > 0 ? (rank - seen) / inside : 0.5)) * binWidth;
}

/** Standard deviation from the median absolute deviation, by widening an interval around the median. */
export function sigmaIn(distribution: Distribution, median: number): number {
  const { counts, total } = distribution;
  const middle = binOf(distribution, median);
  let held = counts[middle] as number;
  let reach = 0;
  let before = 0;
  while (held < total / 2 && reach < binCount) {
    reach += 1;
    before = held;
    held += (counts[middle - reach] ?? 0) + (counts[middle + reach] ?? 0);
  }
  const share = held > before ? (total / 2 - before) / (held - before) : 1;
  return sigmaPerMad * binWidth * (reach === 0 ? share / 2 : reach - 0.5 + share);
}

/** The share of values in (`from`, `to`], whole bins; beyond the outermost ones, theirs. */
export function shareBetween(distribution: Distribution, from: number, to: number): number {
  const last = binOf(distribution, to);
  let held = 0;
  for (let bin = Math.min(last, binOf(distribution, from) + 1); bin <= last; bin++)
    held += distribution.counts[bin] as number;
  return distribution.total === 0 ? 0 : held / distribution.total;
}

function binOf({ centre }: Distribution, log: number): number {
  return Math.max(0, Math.min(binCount - 1, Math.floor((log - centre) / binWidth) + centreBin));
}
