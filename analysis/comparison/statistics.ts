import { ascending, medianOf, quantileOf } from '#analysis/detection/statistics.ts';

/** A value and the ends of its 95% confidence interval, in one unit. */
export type Interval = { value: number; low: number; high: number };

/** Pairs of vantages whose RTTs differ by less than this share of the whole spread tell nothing of a slope. */
const LEAST_SHARE_OF_SPREAD = 0.05;

/**
 * Hodges and Lehmann's location of one sample: the median of the means of all pairs, a value paired with itself included. NaN of
 * nothing.
 */
export function hodgesLehmannOf(values: readonly number[]): number {
  const means = new Float64Array((values.length * (values.length + 1)) / 2);
  let next = 0;
  for (let i = 0; i < values.length; i++)
    for (let j = i; j < values.length; j++) means[next++] = ((values[i] as number) + (values[j] as number)) / 2;
  return medianOf(means);
}

/** Values farther outside the quartiles than so many times their distance count as lying there (Tukey's outer fences). */
const FENCE = 3;

/** A sample in ascending order, within its fences, and the block of time that each value belongs to. */
export type Blocked = { values: Float64Array; blocks: Uint16Array };

export function blocked(sample: readonly { value: number; block: number }[]): Blocked {
  const sorted = sample.toSorted((a, b) => a.value - b.value);
  const values = Float64Array.from(sorted, ({ value }) => value);
  const [lower, upper] = [quantileOf(values, 0.25), quantileOf(values, 0.75)];
  const reach = FENCE * (upper - lower);
  return {
    values: values.map((value) => Math.max(lower - reach, Math.min(upper + reach, value))),
    blocks: Uint16Array.from(sorted, ({ block }) => block),
  };
}

/**
 * The mean of the middle half of values in ascending order, each as often as its block was drawn (once where nothing is said); that of
 * all where no block of them was drawn.
 */
export function interquartileMean(
  sorted: readonly { value: number; block: number }[],
  drawn: Uint16Array | undefined,
): number {
  const timesOf = ({ block }: { block: number }) => drawn?.[block] ?? 1;
  const total = sorted.reduce((sum, each) => sum + timesOf(each), 0);
  if (total === 0) return interquartileMean(sorted, undefined);
  const [from, to] = [total / 4, (3 * total) / 4];
  let passed = 0;
  let sum = 0;
  for (const each of sorted) {
    const end = passed + timesOf(each);
    sum += each.value * Math.max(0, Math.min(end, to) - Math.max(passed, from));
    passed = end;
  }
  return sum / (to - from);
}

/** Halvings of a bracket that is 2 ms wide: a shift is found to 2 µs. */
const HALVINGS = 10;

/**
 * Hodges and Lehmann's shift between two samples whose values count as often as their blocks were drawn (the median of all
 * differences after - before), looked for around `near`. NaN where a side has no block that was drawn.
 */
export function drawnShift(
  after: Blocked,
  before: Blocked,
  drawn: { after: Uint16Array; before: Uint16Array },
  near: number,
): number {
  const half = (weightOf(after, drawn.after) * weightOf(before, drawn.before)) / 2;
  if (half === 0) return Number.NaN;
  const isAbove = (limit: number) => weightBelow(after, before, drawn, limit) < half;
  let width = 1;
  while (width < 1e9 && (!isAbove(near - width) || isAbove(near + width))) width *= 4;
  let low = near - width;
  let high = near + width;
  for (let halving = 0; halving < HALVINGS + Math.log2(width); halving++) {
    const middle = (low + high) / 2;
    if (isAbove(middle)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

function weightOf({ blocks }: Blocked, drawn: Uint16Array): number {
  let weight = 0;
  for (const block of blocks) weight += drawn[block] as number;
  return weight;
}

/** The shift of the mean, as `drawnShift` takes it: means of queues add up over round trips, medians do not. */
export const meanShift: typeof drawnShift = (after, before, drawn) =>
  drawnMean(after, drawn.after) - drawnMean(before, drawn.before);

const drawnMean = (sample: Blocked, drawn: Uint16Array) =>
  sample.values.reduce((sum, value, i) => sum + value * (drawn[sample.blocks[i] as number] as number), 0) /
  weightOf(sample, drawn);

/** How many differences are at most `limit`: one pass over both sides. */
function weightBelow(
  after: Blocked,
  before: Blocked,
  drawn: { after: Uint16Array; before: Uint16Array },
  limit: number,
): number {
  let total = 0;
  let passed = 0;
  let next = 0;
  for (let i = 0; i < before.values.length; i++) {
    const end = (before.values[i] as number) + limit;
    while (next < after.values.length && (after.values[next] as number) <= end) {
      passed += drawn.after[after.blocks[next] as number] as number;
      next += 1;
    }
    total += passed * (drawn.before[before.blocks[i] as number] as number);
  }
  return total;
}

/** A line through points: `slope` in units of y per unit of x, `intercept` in those of y. */
export type FittedLine = { slope: number; intercept: number };

/**
 * Theil and Sen's line (Theil 1950, Sen 1968): the median of the slopes of all pairs, and the median of what they leave. Pairs
 * close to one another in x are left out; null where fewer than three points differ.
 */
export function theilSen(points: readonly { x: number; y: number }[]): FittedLine | null {
  const xs = ascending(points.map(({ x }) => x));
  const spread = (xs.at(-1) ?? 0) - (xs[0] ?? 0);
  if (new Set(xs).size < 3) return null;
  const slopes: number[] = [];
  points.forEach((a, i) => {
    for (let j = 0; j < i; j++) {
      const b = points[j] as { x: number; y: number };
      if (Math.abs(a.x - b.x) >= LEAST_SHARE_OF_SPREAD * spread) slopes.push((a.y - b.y) / (a.x - b.x));
    }
  });
  const slope = medianOf(slopes);
  return { slope, intercept: medianOf(points.map(({ x, y }) => y - slope * x)) };
}

/**
 * Holm's correction (1979): which of several p-values are significant at `level` together, in their order.
 */
export function holm(pValues: readonly number[], level: number): boolean[] {
  const order = pValues.map((p, index) => ({ p, index })).sort((a, b) => a.p - b.p);
  const significant = pValues.map(() => false);
  for (const [rank, { p, index }] of order.entries()) {
    if (!(p <= level / (pValues.length - rank))) break;
    significant[index] = true;
  }
  return significant;
}

/** Shares differ that are so far apart, and by so many standard errors. */
const LEAST_OF_SHARES = 0.1;
const ERRORS_OF_SHARES = 4;

/**
 * Whether two shares, of n and of m results, differ by more than chance (a test of two proportions, with a result more of each kind on
 * either side).
 */
export function isOtherShare({ before, after }: { before: number; after: number }, n: number, m: number): boolean {
  const pooled = (before * n + after * m + 1) / (n + m + 2);
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m));
  return Math.abs(after - before) >= Math.max(LEAST_OF_SHARES, ERRORS_OF_SHARES * error);
}

/**
 * P(|T| > t) for Student's t with `df` degrees of freedom, by the incomplete beta function
 * (Abramowitz and Stegun 26.7.1, 26.5.8 as a continued fraction).
 */
export function studentTails(t: number, df: number): number {
  if (!Number.isFinite(t)) return Number.isNaN(t) ? Number.NaN : 0;
  return incompleteBeta(df / (df + t * t), df / 2, 0.5);
}

/** The t that is exceeded, on both sides together, with probability `p`. */
export function studentQuantile(p: number, df: number): number {
  let [low, high] = [0, 1e6];
  for (let halving = 0; halving < 40; halving++) {
    const middle = (low + high) / 2;
    if (studentTails(middle, df) > p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x)) / a;
  return front * betaFraction(x, a, b);
}

/** Lentz's evaluation of the continued fraction of the incomplete beta function. */
function betaFraction(x: number, a: number, b: number): number {
  const tiny = 1e-300;
  const kept = (value: number) => (Math.abs(value) < tiny ? tiny : value);
  let c = 1;
  let d = 1 / kept(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m <= 300; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    for (const term of [even, odd]) {
      d = 1 / kept(1 + term * d);
      c = kept(1 + term / c);
      fraction *= c * d;
    }
    if (Math.abs(c * d - 1) < 1e-12) break;
  }
  return fraction;
}

/** Lanczos' approximation (g = 7, n = 9), for arguments from 1/2 on. */
function logGamma(z: number): number {
  const coefficients = [
    676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
    -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
  ];
  const x = z - 1;
  const t = x + 7.5;
  const sum = coefficients.reduce((total, coefficient, i) => total + coefficient / (x + i + 1), 0.9999999999998099);
  return 0.5 * Math.log(2 * Math.PI) + (x + 0.5) * Math.log(t) - t + Math.log(sum);
}
