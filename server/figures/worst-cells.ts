import type { Matrix } from '#contract/query.ts';
import type { WorstCell } from '#contract/target-summary.ts';

/** Fewest results for which a cell may be called the worst. */
export const MIN_CELL_SAMPLES = 5;

/** The cells with the largest values (the smallest availability), the worst first. */
export function worstCells({ cells, stat }: Pick<Matrix, 'cells' | 'stat'>, limit: number): WorstCell[] {
  const sign = stat === 'availability' ? -1 : 1;
  return cells
    .flatMap(({ region, carrier, value, n, compare }) =>
      value === null || n < MIN_CELL_SAMPLES ? [] : { region, carrier, value, n, change: compare?.change ?? null },
    )
    .sort((a, b) => sign * (b.value - a.value))
    .slice(0, limit);
}
