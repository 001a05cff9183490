import { METRIC_TABLE, type Metric, type Stat } from '#contract/vocabulary.ts';
import { emptyHistogram, type Histogram, mean, mergeInto, quantile } from './histogram.ts';

/**
 * What a cell of a matrix or a bucket of a series is made of: counts of results, and one metric's histogram over those
 * that were successful and clean. `total` counts all results, `unclean` those of an overloaded prober.
 */
export type Summary = {
  total: number;
  ok: number;
  failedProber: number;
  unclean: number;
  histogram: Histogram;
};

export function emptySummary(): Summary {
  return { total: 0, ok: 0, failedProber: 0, unclean: 0, histogram: emptyHistogram() };
}

/** Adds all of `other` to `summary`: every sample weighs the same, wherever it comes from. */
export function mergeSummary(summary: Summary, other: Summary): void {
  summary.total += other.total;
  summary.ok += other.ok;
  summary.failedProber += other.failedProber;
  summary.unclean += other.unclean;
  mergeInto(summary.histogram, other.histogram);
}

/** The shares of results that are as fast; of all and of none the extremes, which are exact. */
const RANKS = { min: 0, p50: 0.5, p75: 0.75, p90: 0.9, p95: 0.95, p99: 0.99, max: 1 } as const;

/**
 * A statistic and the number of results it rests on; null and 0 where there are none. Availability is
 * ok / (total - failed by the prober's fault): what the prober got wrong says nothing about the target.
 */
export function statisticOf(summary: Summary, metric: Metric, stat: Stat): { value: number | null; n: number } {
  if (stat === 'availability') {
    const n = summary.total - summary.failedProber;
    return { value: n > 0 ? summary.ok / n : null, n };
  }
  const n = summary.histogram.count;
  if (n === 0) return { value: null, n: 0 };
  if (stat === 'count') return { value: n, n };
  const value = stat === 'mean' ? mean(summary.histogram) : quantile(summary.histogram, RANKS[stat]);
  // A quantile of round trips is one of them, hence whole; the bins are finer than that up to 50.
  const whole = METRIC_TABLE[metric].whole && stat !== 'mean';
  return { value: value === null ? null : whole ? Math.round(value) : Math.round(value * 1_000) / 1_000, n };
}

/** How much more `value` is than `before`, relative to it: 0.047 is 4.7% more. Null where that says nothing. */
export function changeOf(value: number | null, before: number | null): number | null {
  if (value === null || before === null || before === 0) return null;
  return Math.round((value / before - 1) * 1e6) / 1e6;
}
