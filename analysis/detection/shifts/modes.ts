import {
  leastSamples,
  modeBinWidth,
  modeLeastShare,
  modeSeparation,
  modeSmoothing,
  modeValley,
  valueSpan,
} from '../parameters.ts';

/** Two modes of a series' samples, logarithms less the daily shape: their medians, and the valley between the two. */
export type Modes = { divide: number; lower: number; upper: number };

/** Counts of logarithms about a centre; what lies beyond falls into the outermost bins. */
const BINS = 2 * Math.round(valueSpan / modeBinWidth);
const COUNTS = new Uint16Array(BINS);
/** How many values lie below the beginning of each bin, and in it and its neighbours together. */
const BELOW = new Uint32Array(BINS + 1);
const SMOOTH = new Uint32Array(BINS);

/**
 * The two modes of `values`, of which `centre` is about the middle; null where there is one. Between two modes is a valley: of the places
 * where few samples are, with many on both sides, that which leaves the smaller side most. Takes one pass over the values, and some over the bins.
 */
export function modesOf(values: readonly number[], centre: number): Modes | null {
  countValues(values, centre);
  const divide = valleyOf(values.length);
  if (divide === null) return null;
  const total = values.length;
  const below = BELOW[divide] as number;
  const [lower, upper] = [quantileBetween(0, below, 0.5), quantileBetween(below, total, 0.5)];
  // Of each mode the half that faces the other: a tail beyond does not bring the two nearer.
  const facing = quantileBetween(0, below, FACING) - lower + upper - quantileBetween(below, total, 1 - FACING);
  if (upper - lower < modeSeparation * facing) return null;
  const from = centre - valueSpan;
  return {
    divide: from + divide * modeBinWidth,
    lower: from + lower * modeBinWidth,
    upper: from + upper * modeBinWidth,
  };
}

/** The quantile of a normal distribution that lies one standard deviation above its median. */
const FACING = 0.8413;

function countValues(values: readonly number[], centre: number): void {
  COUNTS.fill(0);
  const from = centre - valueSpan;
  for (const value of values) {
    const bin = Math.max(0, Math.min(BINS - 1, Math.floor((value - from) / modeBinWidth)));
    COUNTS[bin] = (COUNTS[bin] as number) + 1;
  }
  for (let bin = 0; bin < BINS; bin++) BELOW[bin + 1] = (BELOW[bin] as number) + (COUNTS[bin] as number);
  for (let bin = 0; bin < BINS; bin++) {
    const [first, last] = [Math.max(0, bin - modeSmoothing), Math.min(BINS, bin + modeSmoothing + 1)];
    SMOOTH[bin] = (BELOW[last] as number) - (BELOW[first] as number);
  }
}

/** The first bin of the upper mode; null where no valley leaves enough on both sides. */
function valleyOf(total: number): number | null {
  const least = Math.max(leastSamples, modeLeastShare * total);
  let lowPeak = 0;
  const highPeaks = highestFrom();
  let best = null as { first: number; last: number; side: number; depth: number } | null;
  for (let bin = 0; bin < BINS; bin++) {
    const depth = SMOOTH[bin] as number;
    lowPeak = Math.max(lowPeak, depth);
    const below = BELOW[bin] as number;
    const side = Math.min(below, total - below);
    if (side < least || depth > modeValley * Math.min(lowPeak, highPeaks[bin] as number)) continue;
    if (best && bin === best.last + 1 && depth === best.depth && side === best.side) best.last = bin;
    else if (!best || side - depth > best.side - best.depth) best = { first: bin, last: bin, side, depth };
  }
  // The middle of a valley that is flat.
  return best === null ? null : Math.ceil((best.first + best.last) / 2);
}

/** The highest smoothed count from each bin on. */
function highestFrom(): Uint32Array {
  const highest = SMOOTH.slice();
  for (let bin = BINS - 2; bin >= 0; bin--) highest[bin] = Math.max(highest[bin] as number, highest[bin + 1] as number);
  return highest;
}

/** Of the values from the `from`th to the `to`th by size, that which a share `q` of them does not exceed: bins from the first on. */
function quantileBetween(from: number, to: number, q: number): number {
  const rank = from + q * (to - from);
  let bin = 0;
  while (bin < BINS - 1 && (BELOW[bin + 1] as number) < rank) bin += 1;
  const inside = COUNTS[bin] as number;
  return bin + (inside > 0 ? (rank - (BELOW[bin] as number)) / inside : 0.5);
}
