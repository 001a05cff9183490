import { binOf, type Histogram, LOG_GROWTH, quantile } from './histogram.ts';

/** Shares of values in bins that several histograms have in common; `edges`, in ms, are one more than the bins. */
export type Binned = { edges: number[]; shares: number[][] };

/**
 * The shares (0 to 1) of all values of each histogram in at most `most` bins. They reach from the lowest 1st to the highest 99th percentile,
 * each over as many bins of the histograms, so that none is cut; the first and the last hold what lies beyond as well. Without values
 * there are no bins, and a histogram that alone is empty has shares of 0.
 */
export function binTogether(histograms: readonly Histogram[], most: number): Binned {
  const measured = histograms.filter(({ count }) => count > 0);
  if (measured.length === 0) return { edges: [], shares: histograms.map(() => []) };
  const binAt = (q: number) => measured.map((histogram) => binOf((quantile(histogram, q) ?? 0) * 1_000));
  const lowest = Math.min(...binAt(0.01));
  const all = Math.max(...binAt(0.99)) - lowest + 1;
  const width = Math.ceil(all / most);
  const bins = Math.ceil(all / width);
  const edges = Array.from({ length: bins + 1 }, (_, index) => Math.exp((lowest - 1 + index * width) * LOG_GROWTH));
  const shares = histograms.map((histogram) => {
    const sums = new Array<number>(bins).fill(0);
    for (const [index, count] of histogram.bins.entries()) {
      const bin = Math.min(Math.max(Math.floor((histogram.first + index - lowest) / width), 0), bins - 1);
      sums[bin] = (sums[bin] ?? 0) + count / histogram.count;
    }
    return sums;
  });
  return { edges, shares };
}
