import { sigmaPerMad } from './parameters.ts';

/** Halvings by which the Hodges-Lehmann shift is found: 10 / 2^16 = 0.00015. Definition. */
const hodgesLehmannHalvings = 16;

/** Linear interpolation between order statistics (type 7 of Hyndman and Fan); `sorted` ascending and not empty. */
export function quantileOf(sorted: ArrayLike<number>, q: number): number {
  const position = q * (sorted.length - 1);
  const below = Math.floor(position);
  const low = sorted[below] as number;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] as number;
  return low + (position - below) * (high - low);
}

export function ascending(values: Iterable<number>): Float64Array {
  // An array is copied many times faster than what is iterated.
  return (Array.isArray(values) ? new Float64Array(values) : Float64Array.from(values)).sort();
}

/** The median; NaN of nothing. */
export function medianOf(values: Iterable<number>): number {
  const sorted = ascending(values);
  return sorted.length === 0 ? Number.NaN : quantileOf(sorted, 0.5);
}

/** What half of the weight does not exceed: the lower of two where they weigh the same; NaN of nothing. */
export function weightedMedian(values: readonly { value: number; weight: number }[]): number {
  const half = values.reduce((sum, { weight }) => sum + weight, 0) / 2;
  let seen = 0;
  for (const { value, weight } of values.toSorted((a, b) => a.value - b.value)) {
    seen += weight;
    // Sums of weights are rounded.
    if (seen >= half * (1 - 1e-9)) return value;
  }
  return Number.NaN;
}

/** Standard deviation as the median absolute deviation gives it for a normal distribution. */
export function madSigma(values: readonly number[], median: number): number {
  return sigmaPerMad * medianOf(values.map((value) => Math.abs(value - median)));
}

/**
 * Hodges and Lehmann's shift between two samples (1963): the median of all differences `after - before`, found by halving,
 * since counting the differences below a value takes one pass over both sorted samples. NaN of nothing.
 */
export function hodgesLehmann(after: readonly number[], before: readonly number[]): number {
  const late = ascending(after);
  const early = ascending(before);
  if (late.length === 0 || early.length === 0) return Number.NaN;
  let low = (late[0] as number) - (early[early.length - 1] as number);
  let high = (late[late.length - 1] as number) - (early[0] as number);
  const half = (late.length * early.length) / 2;
  for (let halving = 0; halving < hodgesLehmannHalvings; halving++) {
    const middle = (low + high) / 2;
    if (differencesBelow(late, early, middle) < half) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

function differencesBelow(late: Float64Array, early: Float64Array, limit: number): number {
  let below = 0;
  let first = 0;
  for (const value of early) {
    while (first < late.length && (late[first] as number) - value <= limit) first += 1;
    below += first;
  }
  return below;
}

/** At lag 1, of distances from a level; between 0 and `most`, 0 of nothing. */
export function autocorrelation(off: readonly number[], most: number): number {
  let product = 0;
  let square = 0;
  let previous = 0;
  for (const each of off) {
    product += each * previous;
    square += each * each;
    previous = each;
  }
  return square > 0 ? Math.max(0, Math.min(most, product / square)) : 0;
}

export function meanOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += values[index] as number;
  return values.length === 0 ? Number.NaN : sum / values.length;
}
