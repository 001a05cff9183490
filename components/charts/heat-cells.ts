import type { Unit } from '#contract/vocabulary.ts';
import type { Locale } from '#i18n/locale.ts';
import { formatChange } from '#i18n/numbers.ts';
import { formatTime } from '#i18n/time.ts';

/**
 * A series by its place, or by an address of its own: columns without a measurement are null; `isUsual` unless its levels are the median of the
 * range.
 */
export type HeatRow = { name: string; values: (number | null)[]; isUsual: boolean } & (
  | { region: string; carrier: string; href?: never }
  | { region?: never; carrier?: never; href: string }
);

/** Cells of series over time against their levels. Times in ms since 1970. */
export type HeatInput = {
  rows: HeatRow[];
  /** Neighbouring rows of the same carrier, [from, to); none where rows are not ordered by carrier. */
  blocks: { name: string; from: number; to: number }[];
  start: number;
  stepMs: number;
  columns: number;
  /** Levels of all rows, and for each column the index of those that it is compared with. */
  levels: (number | null)[][];
  levelsAt: number[];
  /** Largest difference that is always neutral, in the unit of the values. */
  least: number;
  /** Range of the time axis. */
  from: number;
  to: number;
  zone: string;
  locale: Locale;
  /** Texts with `{place}`, `{time}`, `{value}`, `{level}` and `{change}` to be filled in; values get their unit from `unit`. */
  texts: { hint: string; usual: string; median: string; alone: string; empty: string };
  unit: { name: string; of: Unit };
  /** Address of the trend, to which the place of a cell is added; null where rows are no places, or have addresses. */
  href: string | null;
  /** Columns are hours of any day: no date is told. */
  daily?: true;
};

/** Heights by the most rows: of the cells, and of these with the line of text above them. */
const SIZES = {
  3: { chart: 'h-32', whole: 'min-h-38' },
  10: { chart: 'h-56', whole: 'min-h-62' },
  34: { chart: 'h-96', whole: 'min-h-102' },
  Infinity: { chart: 'h-[32rem]', whole: 'min-h-[33.5rem]' },
};

/** The classes of the heights of a heatmap. */
export const sizeOf = (rows: number): (typeof SIZES)[3] =>
  Object.entries(SIZES).find(([most]) => rows <= Number(most))?.[1] ?? SIZES.Infinity;

/** A cell by its row and column, from 0. */
export type Cell = { row: number; column: number };

/** The beginning of a cell's step, ms since 1970. */
export const timeOf = ({ start, stepMs }: HeatInput, { column }: Cell): number => start + column * stepMs;

/** Place, time and values of a cell in one sentence. */
export function cellText(input: HeatInput, { row, column }: Cell): string {
  const { rows, levels, levelsAt, locale, zone, texts } = input;
  const series = rows[row];
  if (!series) return texts.hint;
  const value = series.values[column] ?? null;
  const level = levels[levelsAt[column] ?? -1]?.[row] ?? null;
  const template =
    value === null ? texts.empty : level === null ? texts.alone : series.isUsual ? texts.usual : texts.median;
  const parts: Record<string, string> = {
    place: series.name,
    time: formatTime(timeOf(input, { row, column }), zone, 'minute').slice(input.daily ? -'00:00'.length : 0),
    value: amount(input, value),
    level: amount(input, level),
    change: value !== null && level ? formatChange(locale, value / level - 1) : '',
  };
  return template.replace(/\{(\w+)\}/g, (_, name) => parts[name] ?? '');
}

function amount({ locale, unit }: HeatInput, value: number | null): string {
  if (value === null) return '';
  const most = unit.of !== 'ms' ? 1 : value < 10 ? 2 : value < 100 ? 1 : 0;
  const least = unit.of === 'ms' ? most : 0;
  const format = new Intl.NumberFormat(locale, { minimumFractionDigits: least, maximumFractionDigits: most });
  return `${format.format(value)} ${unit.name}`;
}

/** Address of the trend of a cell's row, where it has one. */
export function hrefOf(input: HeatInput, { row }: Cell): string | null {
  const own = input.rows[row]?.href;
  if (own !== undefined || input.href === null) return own ?? null;
  const [path, query] = input.href.split('?');
  const params = new URLSearchParams(query);
  const { region, carrier } = input.rows[row] ?? {};
  if (region !== undefined) params.set('region', region);
  if (carrier !== undefined) params.set('carrier', carrier);
  return `${path}?${params}`;
}
