import { addThousandths, emptyHistogram, type Histogram } from '#analysis/histogram.ts';
import { encodeHistogram } from '#analysis/histogram-codec.ts';
import { METRICS } from '#contract/vocabulary.ts';

export const COUNTS = ['total', 'ok', 'failed_target', 'failed_resolver', 'failed_prober', 'unclean'] as const;
export type Count = (typeof COUNTS)[number];

/** One row of a rollup in the making: counts in the order of COUNTS, histograms in the order of METRICS. */
export type Cell = { bucket: number; vantageId: string; counts: number[]; histograms: Histogram[] };

/** A cell ready to be written; null where a metric has no sample. */
export type EncodedCell = { bucket: number; vantageId: string; counts: number[]; summaries: (Buffer | null)[] };

export function emptyCell(bucket: number, vantageId: string): Cell {
  return { bucket, vantageId, counts: COUNTS.map(() => 0), histograms: METRICS.map(emptyHistogram) };
}

export function count(cell: Cell, name: Count): void {
  const index = COUNTS.indexOf(name);
  cell.counts[index] = (cell.counts[index] ?? 0) + 1;
}

/** Adds one value a metric, in thousandths; null where the phase did not happen. */
export function addSample(cell: Cell, thousandths: (number | null)[]): void {
  cell.histograms.forEach((histogram, index) => {
    const value = thousandths[index] ?? null;
    if (value !== null) addThousandths(histogram, value);
  });
}

export function encodeCell({ bucket, vantageId, counts, histograms }: Cell): EncodedCell {
  const summaries = histograms.map((histogram) => (histogram.count > 0 ? encodeHistogram(histogram) : null));
  return { bucket, vantageId, counts, summaries };
}
