/** Counts of logarithms in bins of 1%, from 1.6 below `centre` to 6 above it; what lies beyond falls into the outermost bins. */
export type Distribution = { centre: number; counts: Uint16Array; total: number };

const BINS = 768;
/** The bin that begins at the centre. */
const ZERO = 160;
const WIDTH = 0.01;

export function emptyDistribution(centre: number): Distribution {
  return { centre, counts: new Uint16Array(BINS), total: 0 };
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
  for (; bin < BINS - 1; bin++) {
    const next = seen + (counts[bin] as number);
    if (next >= rank && next > 0) break;
    seen = next;
  }
  const inside = counts[bin] as number;
  return centre + (bin - ZERO + (inside > 0 ? (rank - seen) / inside : 0.5)) * WIDTH;
}

/** Standard deviation from the median absolute deviation, by widening an interval around the median. */
export function sigmaIn(distribution: Distribution, median: number): number {
  const { counts, total } = distribution;
  const middle = binOf(distribution, median);
  let held = counts[middle] as number;
  let reach = 0;
  let before = 0;
  while (held < total / 2 && reach < BINS) {
    reach += 1;
    before = held;
    held += (counts[middle - reach] ?? 0) + (counts[middle + reach] ?? 0);
  }
  const share = held > before ? (total / 2 - before) / (held - before) : 1;
  return 1.4826 * WIDTH * (reach === 0 ? share / 2 : reach - 0.5 + share);
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
  return Math.max(0, Math.min(BINS - 1, Math.floor((log - centre) / WIDTH) + ZERO));
}
