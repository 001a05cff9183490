/**
 * A mergeable summary of durations: count, sum, extremes and logarithmic bins. Bin `i` holds values in (G^(i-1), G^i] ms. Two
 * values of one bin differ by less than 1%, so a quantile is within 1% at any size; extremes are exact. Values are kept to a
 * thousandth.
 */
export type Histogram = {
  count: number;
  /** In thousandths, as `min` and `max`: integers add up exactly. */
  sum: number;
  min: number;
  max: number;
  /** Index of `bins[0]`; meaningless while there are none. */
  first: number;
  /** Counts, from the first bin that is used to the last. */
  bins: number[];
};

/** Width of a bin, natural logarithm: 1%. */
export const LOG_GROWTH = Math.log(1.02) / 2;
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
  const { bins, first } = other;
  makeBins(histogram, first, first + bins.length - 1);
  const offset = first - histogram.first;
  for (let index = 0; index < bins.length; index++)
    histogram.bins[offset + index] = (histogram.bins[offset + index] as number) + (bins[index] as number);
}

/** Keeps the extremes; called before `count` grows. */
export function widen(histogram: Histogram, min: number, max: number): void {
  if (histogram.count === 0 || min < histogram.min) histogram.min = min;
  if (histogram.count === 0 || max > histogram.max) histogram.max = max;
}

export function addToBin(histogram: Histogram, bin: number, count: number): void {
  makeBins(histogram, bin, bin);
  const index = bin - histogram.first;
  histogram.bins[index] = (histogram.bins[index] as number) + count;
}

/** Makes the bins from `low` to `high`, and all between these and those that are there; counts must be put into both ends. */
export function makeBins(histogram: Histogram, low: number, high: number): void {
  const { bins, first } = histogram;
  if (bins.length === 0) {
    histogram.first = low;
    histogram.bins = new Array<number>(high - low + 1).fill(0);
    return;
  }
  if (low < first) {
    histogram.bins = new Array<number>(first - low).fill(0).concat(bins);
    histogram.first = low;
  }
  const length = high - histogram.first + 1;
  while (histogram.bins.length < length) histogram.bins.push(0);
}

/**
 * The nearest-rank quantile: the smallest value that at least `q` (0 to 1) of all values do not exceed, within 1%. The values
 * of a bin are taken to lie evenly in it, so that a quantile moves as its values do and not from bin to bin. Null without values.
 */
export function quantile(histogram: Histogram, q: number): number | null {
  const { count, min, max, first, bins } = histogram;
  if (count === 0) return null;
  const rank = Math.max(1, Math.ceil(q * count - 1e-9));
  // The extremes are known exactly.
  if (rank === 1) return min / 1_000;
  if (rank === count) return max / 1_000;
  let before = 0;
  let index = 0;
  for (; index < bins.length - 1; index++) {
    const inBin = bins[index] as number;
    if (before + inBin >= rank) break;
    before += inBin;
  }
  const bin = first + index;
  const lower = Math.max(edgeOf(bin - 1), min);
  const upper = Math.min(edgeOf(bin), max);
  return (lower + ((upper - lower) * (rank - before - 0.5)) / (bins[index] ?? 1)) / 1_000;
}

/** The arithmetic mean, exact; null without values. */
export function mean(histogram: Histogram): number | null {
  return histogram.count === 0 ? null : histogram.sum / histogram.count / 1_000;
}

/** The upper end of a bin, in thousandths. */
function edgeOf(bin: number): number {
  return bin < LOWEST_BIN ? 0 : Math.exp(bin * LOG_GROWTH) * 1_000;
}
