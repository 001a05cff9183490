import type { Matrix, Measured } from '#contract/query.ts';
import { MIN_CELL_SAMPLES } from '#contract/target-summary.ts';
import type { Unit } from '#contract/vocabulary.ts';
import { verdict } from '#i18n/numbers.ts';
import { ALIKE_MS, AS_USUAL, stepOf } from '../charts/change-scale.ts';
import type { Against } from '../filters/filter.ts';

/** Upper edges of the first six of seven steps, from calm to grave, in the value's own unit; null where more is not worse. */
export type HeatScale = { edges: number[]; reverse: boolean } | null;

const AVAILABILITY_EDGES = [0.999, 0.995, 0.99, 0.98, 0.95, 0.9];
const SHARE_EDGES = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5];

/**
 * The steps for a set of values. Times: six edges in equal ratios from the best tenth to the worst, at least 4 times apart,
 * so that places that hardly differ look alike. Shares have fixed steps.
 */
export function heatScale(values: number[], unit: Unit): HeatScale {
  if (unit === 'count' || values.length === 0) return null;
  if (unit === 'ratio') return { edges: AVAILABILITY_EDGES, reverse: true };
  if (unit === 'share') return { edges: SHARE_EDGES, reverse: false };
  const sorted = values.toSorted((a, b) => a - b);
  const low = Math.max(sorted[Math.floor(sorted.length / 10)] ?? 0, 0.1);
  const high = Math.max(sorted[Math.ceil(sorted.length * 0.97) - 1] ?? 0, low * 4);
  const ratio = (high / low) ** (1 / 6);
  return { edges: [1, 2, 3, 4, 5, 6].map((power) => twoDigits(low * ratio ** (power - 0.25))), reverse: false };
}

/** The step, 0 to 6, of a value; null without a value or a scale. */
export function heatOf(scale: HeatScale, value: number | null): number | null {
  if (!scale || value === null) return null;
  const index = scale.edges.findIndex((edge) => (scale.reverse ? value >= edge : value < edge));
  return index < 0 ? scale.edges.length : index;
}

function twoDigits(value: number): number {
  const unit = 10 ** (Math.floor(Math.log10(value)) - 1);
  return Number((Math.round(value / unit) * unit).toPrecision(2));
}

/** What a cell is coloured by: its value, or how far it is from what it is set against. */
export type Tones = { by: 'change' } | { by: 'value'; scale: HeatScale };

/** Times are coloured by their change where that is known, all else by its value, which is good or bad by itself. */
export function tonesOf(matrix: Matrix, against: Against): Tones {
  const isKnown = matrix.cells.some(({ compare }) => compare?.change != null);
  if (against !== 'value' && matrix.unit === 'ms' && isKnown) return { by: 'change' };
  const values = matrix.cells.flatMap(({ value }) => value ?? []);
  return { by: 'value', scale: heatScale(values, matrix.unit) };
}

/** The step, 0 to 6, of a cell's change; 3 where it is alike, or has too few results to tell; null where nothing is known. */
export function changeStep(cell: Measured | undefined): number | null {
  if (!cell || cell.value === null || cell.compare?.change == null) return null;
  const { value, n, compare } = cell;
  if (n < MIN_CELL_SAMPLES || compare.n < MIN_CELL_SAMPLES) return AS_USUAL;
  return stepOf(value, compare.value ?? value, ALIKE_MS) ?? AS_USUAL;
}

/** The name of a cell's colour in palette.css; null where it has none. */
export function toneOf(tones: Tones, cell: Measured | undefined): string | null {
  const step = tones.by === 'change' ? changeStep(cell) : heatOf(tones.scale, cell?.value ?? null);
  return step === null ? null : `${tones.by === 'change' ? 'change' : 'heat'}-${step}`;
}

/** Whether a cell is worse than what it is set against, by more than chance and by what somebody feels. */
export const isWorse = (cell: Measured, unit: Unit): boolean =>
  unit === 'ms' ? (changeStep(cell) ?? AS_USUAL) > AS_USUAL : verdict(cell.compare?.change, unit) === 'worse';
