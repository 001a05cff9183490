import type { Location } from './extent.ts';
import type { FailureSum } from './failure.ts';
import type { Matrix } from './query.ts';

/** The location that is slowest, with their value over `n` results; `change` is relative, against yesterday. */
export type WorstCell = { region: string; carrier: string; value: number; n: number; change: number | null };

/** The p50 (ms) of `n` results of the hour or day that begins at `at` (RFC 3339). */
export type MedianAt = { at: string; value: number | null; n: number };

/**
 * A target on the home page: its TLS time (ms) over the last hour; `sparkline`, the p50 of each of the last 24 hours, and `days`, of each
 * of the last 14 days of UTC (oldest first, null where nothing was measured). `changeVsYesterday` and `changeVsLastWeek` are relative, of
 * the p50 against the same hour a day and a week earlier. `staleSince` is the last
 * result of a target that should have had newer ones, or when it was added where there is none. `places` are those with
 * results in the last hour, and `failures` why they failed. `usual` are the usual medians at this hour, ms by metric, where they are known,
 * `usualHours` those of TLS time in the hours of the sparkline, and `slowerSince` says since when most series have exceeded theirs of TLS time.
 */
export type TargetSummary = {
  id: string;
  name: string;
  url: string;
  enabled: boolean;
  demo: boolean;
  /** Kept as code. */
  managed: boolean;
  tags: string[];
  p50: number | null;
  p95: number | null;
  availability: number | null;
  n: number;
  changeVsYesterday: number | null;
  changeVsLastWeek: number | null;
  lastResultAt: string | null;
  staleSince: string | null;
  places: Location[];
  failures: FailureSum[];
  sparkline: MedianAt[];
  days: MedianAt[];
  worst: WorstCell | null;
  usual: { tcp?: number; tls?: number; firstByte?: number };
  usualHours: (number | null)[];
  slowerSince: string | null;
};

/** Fewest results for which a cell may be called the worst, and its value be compared. */
export const MIN_CELL_SAMPLES = 5;

/** By how much the TLS time differs from what is usual at this hour, relative; null where that is not known. */
export function changeFromUsual({ p50, usual }: Pick<TargetSummary, 'p50' | 'usual'>): number | null {
  return p50 === null || usual.tls === undefined || usual.tls <= 0 ? null : p50 / usual.tls - 1;
}

/** The cells of a matrix that have enough results. */
export const cellsWithEnough = ({ cells }: Pick<Matrix, 'cells'>) =>
  cells.filter(({ value, n }) => value !== null && n >= MIN_CELL_SAMPLES);

/** At most `most` cells with enough results: those with the largest values (the smallest availability), the worst first. */
export function worstCells(matrix: Pick<Matrix, 'cells' | 'unit'>, most: number): Matrix['cells'] {
  const sign = matrix.unit === 'ratio' ? -1 : 1;
  return cellsWithEnough(matrix)
    .sort((a, b) => sign * ((b.value ?? 0) - (a.value ?? 0)))
    .slice(0, most);
}
