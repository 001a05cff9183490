import type { Matrix, Measured } from '#contract/query.ts';
import { cellsWithEnough, MIN_CELL_SAMPLES } from '#contract/target-summary.ts';
import type { Filter } from '../filters/filter.ts';
import { isWorse } from './heat.ts';

export type MatrixRow = { region: string; margin: Measured; cells: { carrier: string; cell: Measured }[] };

const NOTHING: Measured = { value: null, n: 0, compare: null };

/** The matrix by rows, in the order asked for: by name as the server gives them, or the worst first. */
export function matrixRows(matrix: Matrix, sort: Filter['sort']): MatrixRow[] {
  const cells = new Map(matrix.cells.map((cell) => [`${cell.region} ${cell.carrier}`, cell]));
  const margins = new Map(matrix.margins.regions.map((margin) => [margin.region, margin]));
  const rows = matrix.regions.map((region) => ({
    region,
    margin: margins.get(region) ?? NOTHING,
    cells: matrix.carriers.map((carrier) => ({ carrier, cell: cells.get(`${region} ${carrier}`) ?? NOTHING })),
  }));
  if (sort === 'name') return rows;
  const sign = matrix.unit === 'ratio' ? -1 : 1;
  const rank = ({ margin }: MatrixRow) => {
    const value = sort === 'value' ? margin.value : (margin.compare?.change ?? null);
    return value === null ? Number.NEGATIVE_INFINITY : value * sign;
  };
  return rows.sort((a, b) => rank(b) - rank(a));
}

export type RankedCell = Matrix['cells'][number];

/** The cells with enough probes, then and now, that are worse the most than what they are set against. */
export function regressedCells(matrix: Matrix, most: number): RankedCell[] {
  const amount = (cell: RankedCell) => Math.abs(cell.compare?.change ?? 0);
  return cellsWithEnough(matrix)
    .filter((cell) => (cell.compare?.n ?? 0) >= MIN_CELL_SAMPLES)
    .filter((cell) => isWorse(cell, matrix.unit))
    .sort((a, b) => amount(b) - amount(a))
    .slice(0, most);
}

/** Says whether any cell has enough probes both now and in the range compared with. */
export const comparable = (matrix: Matrix) =>
  cellsWithEnough(matrix).some((cell) => (cell.compare?.n ?? 0) >= MIN_CELL_SAMPLES);
