// By how much a series exceeds its level before while a spike lasts: a figure that is about right from the first minutes on, of few
// samples, on series with two modes, with lost segments, and while the level still rises.

import { medianOf } from './detection/statistics.ts';

/** The quantiles by which two distributions are compared: the middles of twenty parts. */
const QUANTILES = Array.from({ length: 20 }, (_, index) => (index + 0.5) / 20);
/** Lost segments are in the last two parts. */
const WITHOUT_TAIL = 18;
/** The level has risen once three samples in a row have their median above this share of the excess. */
const RISEN = 0.85;
/** What is high is measured where one in four is higher: lost segments, which are rarer, do not make it. */
const HIGH = 0.75;
/** A peak is what one sample in ten exceeds. */
const PEAK = 0.9;

/** A typical level while a change lasts, and its peak; in the samples' unit. */
export type Lasting = { typical: number; peak: number };

/**
 * The typical level of `since` (in the order of time) against `before`: the level before plus the excess. Null without samples
 * since; without any before it is their median.
 *
 * The excess is the median difference of the quantiles of both (a quantile treatment effect: Doksum, "Empirical probability plots
 * and statistical inference for nonlinear models in the two-sample case", Annals of Statistics 2, 1974): where all values moved it
 * is how far, whichever of its modes a series happened to be in. Where a part of them moved, from one mode into the other, most
 * quantiles did not: then it is the mean difference, the share that moved times how far, in which the tail counts for nothing.
 */
export function lastingLevel(before: readonly number[], since: readonly number[]): Lasting | null {
  if (since.length === 0) return null;
  const sorted = since.toSorted(ascending);
  const peak = quantile(sorted, PEAK);
  if (before.length === 0) return { typical: quantile(sorted, 0.5), peak };
  const usual = before.toSorted(ascending);
  const risen = sinceRisen(usual, since, sorted).toSorted(ascending);
  const differences = QUANTILES.map((q) => quantile(risen, q) - quantile(usual, q));
  const shift = medianOf(differences);
  const mean = differences.slice(0, WITHOUT_TAIL).reduce((sum, each) => sum + each, 0) / QUANTILES.length;
  return { typical: quantile(usual, 0.5) + (Math.abs(shift) >= Math.abs(mean) / 2 ? shift : mean), peak };
}

/** What was measured since the level has been up: a queue that fills for minutes would be called half as bad at first. */
function sinceRisen(usual: readonly number[], since: readonly number[], sorted: readonly number[]): readonly number[] {
  const level = quantile(usual, 0.5);
  const excess = quantile(sorted, HIGH) - level;
  if (excess <= 0) return since;
  for (let last = 2; last < since.length; last++) {
    const three = [since[last - 2] ?? 0, since[last - 1] ?? 0, since[last] ?? 0];
    if (medianOf(three) - level >= RISEN * excess) return since.slice(last - 2);
  }
  return since;
}

const ascending = (a: number, b: number) => a - b;

/** The smallest value that at least a share `q` of them do not exceed. */
export function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1))] ?? 0;
}
