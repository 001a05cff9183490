/**
 * A mergeable summary of durations: count, sum, extremes and logarithmic bins. Bin `i` holds values in (G^(i-1), G^i],
 * so that a quantile is wrong by 1% at most at any size, with exact extremes. Values are kept to a thousandth.
 */
export type Histogram = {
  count: number;
  /** In thousandths, as `min` and `max`: integers add up exactly. */
  sum: number;
  min: number;
  max: number;
  /** Index of `bins[0]`; meaningless while there are none. */
  first: number;
  bins: number[];
};

const GROWTH = 1.02;
const LOG_GROWTH = Math.log(GROWTH);
/** Everything up to a thousandth falls into this bin. */
export const LOWEST_BIN = Math.ceil(Math.log(0.001) / LOG_GROWTH);

export function emptyHistogram(): Histogram {
  return { count: 0, sum: 0, min: 0, max: 0, first: 0, bins: [] };
}

/** The bin of a value in thousandths. */
export function binOf(thousandths: number): number {
  if (thousandths <= 1) return LOWEST_BIN;
  return Math.ceil(Math.log(thousandths / 1_000) / LOG_GROWTH);
}

/** Adds one value, in thousandths of its unit (microseconds for a duration in ms); 0 or more, an integer. */
export function addThousandths(histogram: Histogram, thousandths: number): void {
  widen(histogram, thousandths, thousandths);
  histogram.count += 1;
  histogram.sum += thousandths;
  addToBin(histogram, binOf(thousandths), 1);
}

/** Adds all of `other` to `histogram`. */
export function mergeInto(histogram: Histogram, other: Histogram): void {
  if (other.count === 0) return;
  widen(histogram, other.min, other.max);
  histogram.count += other.count;
  histogram.sum += other.sum;
  other.bins.forEach((count, index) => {
    if (count > 0) addToBin(histogram, other.first + index, count);
  });
}

/** Keeps the extremes; called before `count` grows. */
export function widen(histogram: Histogram, min: number, max: number): void {
  if (histogram.count === 0 || min < histogram.min) histogram.min = min;
  if (histogram.count === 0 || max > histogram.max) histogram.max = max;
}

export function addToBin(histogram: Histogram, bin: number, count: number): void {
  const { bins } = histogram;
  if (bins.length === 0) histogram.first = bin;
  while (bin < histogram.first) {
    bins.unshift(0);
    histogram.first -= 1;
  }
  const index = bin - histogram.first;
  while (bins.length <= index) bins.push(0);
  bins[index] = (bins[index] ?? 0) + count;
}

/**
 * The nearest-rank quantile: the smallest value that at least `q` (0 to 1) of all values do not exceed, within 1%.
 * Null without values.
 */
export function quantile(histogram: Histogram, q: number): number | null {
  const { count, min, max, first, bins } = histogram;
  if (count === 0) return null;
  const rank = Math.max(1, Math.ceil(q * count - 1e-9));
  // The extremes are known exactly.
  if (rank === 1) return min / 1_000;
  if (rank === count) return max / 1_000;
  let seen = 0;
  let index = 0;
  for (; index < bins.length; index++) {
    seen += bins[index] ?? 0;
    if (seen >= rank) break;
  }
  return Math.min(Math.max(middleOf(first + index), min), max) / 1_000;
}

/** The arithmetic mean, exact; null without values. */
export function mean(histogram: Histogram): number | null {
  return histogram.count === 0 ? null : histogram.sum / histogram.count / 1_000;
}

/** The value, in thousandths, that is off by the same ratio from both ends of the bin. */
function middleOf(bin: number): number {
  return ((2 * GROWTH ** bin) / (GROWTH + 1)) * 1_000;
}
