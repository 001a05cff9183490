import { changeOf } from '#analysis/summary.ts';
import { SLOWER } from '#analysis/usual-level.ts';
import { orderCarriers, orderRegions } from '#contract/location.ts';
import { medianOf } from '#contract/median.ts';
import type { Series } from '#contract/query.ts';
import type { Unit } from '#contract/vocabulary.ts';
import { isSlowerThan } from './usual.ts';

/**
 * Series over time beside their usual levels, by region and carrier: compact, since a browser gets all of it. Values and levels have as
 * many digits as pages show.
 */
export type Heatmap = {
  unit: Unit;
  stepSeconds: number;
  /** Beginning of the first column, ms since 1970. */
  start: number;
  columns: number;
  rows: HeatmapRow[];
  /** Levels of all rows; most columns share theirs with others, as a usual level is that of a class of hours. Null: unknown. */
  levels: (number | null)[][];
  /** Index into `levels` for each column. */
  levelsAt: number[];
};

type HeatmapRow = {
  region: string;
  carrier: string;
  /** One for each column; null where nothing was measured. */
  values: (number | null)[];
  /** The levels are the usual ones; otherwise the median of the range, as of a new target. */
  isUsual: boolean;
  /** Share of the measured steps, 0 to 1, that were slower than the level; null where nothing can be compared, as the others. */
  slower: number | null;
  /** Median relative change against the level: 0.25 is 25% more. */
  change: number | null;
  /** The highest relative change, and its column. */
  peak: { column: number; change: number } | null;
};

/** Builds it from series by region and carrier: rows by carrier, then by region in the usual order. */
export function buildHeatmap({ series, stepSeconds, unit, from }: Series): Heatmap {
  const carriers = orderCarriers(series.map(({ labels }) => labels.carrier ?? ''));
  const regions = orderRegions(series.map(({ labels }) => labels.region ?? ''));
  const rank = ({ labels: { carrier = '', region = '' } }: (typeof series)[number]) =>
    carriers.indexOf(carrier) * regions.length + regions.indexOf(region);
  const ordered = series.toSorted((a, b) => rank(a) - rank(b));
  const rows = ordered.map(({ labels: { region = '', carrier = '' }, points, usual }) => ({
    region,
    carrier,
    values: points.map(([, value]) => value),
    usual,
  }));
  const [first] = ordered;
  const start = Date.parse(first?.points[0]?.[0] ?? from);
  return { unit, stepSeconds, start, columns: first?.points.length ?? 0, ...compareRows(rows, unit) };
}

type Row = { region: string; carrier: string; values: (number | null)[]; usual: (number | null)[] | undefined };

/** Compares rows with their levels, and lists the levels of columns that are alike once. */
function compareRows(rows: readonly Row[], unit: Unit): Pick<Heatmap, 'rows' | 'levels' | 'levelsAt'> {
  const compared = rows.map((row) => ({ ...row, ...levelsOf(row.values, row.usual) }));
  const indexes = new Map<string, number>();
  const levels: Heatmap['levels'] = [];
  const levelsAt = Array.from({ length: rows[0]?.values.length ?? 0 }, (_, column) => {
    const own = compared.map((row) => shownDigits(row.levels[column] ?? null));
    const key = JSON.stringify(own);
    const index = indexes.get(key) ?? levels.push(own) - 1;
    indexes.set(key, index);
    return index;
  });
  return {
    rows: compared.map(({ region, carrier, values, levels: own, isUsual }) => ({
      region,
      carrier,
      values: values.map(shownDigits),
      isUsual,
      ...changesOf(values, own, unit),
    })),
    levels,
    levelsAt,
  };
}

/** The level at each column: the usual one if that is known wherever there is a value, else the median of the range. */
function levelsOf(values: (number | null)[], usual: (number | null)[] | undefined) {
  // A row without values is set against nothing.
  const isMeasured = values.some((value) => value !== null);
  const isUsual = isMeasured && (usual?.every((level, column) => level !== null || values[column] === null) ?? false);
  if (usual && isUsual) return { levels: usual, isUsual };
  const median = medianOf(values.filter((value) => value !== null));
  return { levels: values.map(() => median), isUsual: false };
}

type Changes = Pick<HeatmapRow, 'slower' | 'change' | 'peak'>;

function changesOf(values: (number | null)[], levels: (number | null)[], unit: Unit): Changes {
  const compared = values.flatMap((value, column) => {
    const level = levels[column] ?? null;
    const change = changeOf(value, level);
    return change === null ? [] : [{ column, change, isSlower: isAbove(value, level, unit) }];
  });
  if (compared.length === 0) return { slower: null, change: null, peak: null };
  const { column, change } = compared.reduce((highest, each) => (each.change > highest.change ? each : highest));
  return {
    slower: compared.filter(({ isSlower }) => isSlower).length / compared.length,
    change: medianOf(compared.map((each) => each.change)),
    peak: { column, change },
  };
}

/** Whether a value exceeds its level by the margin that is called slower; of other units than ms by its ratio alone. */
const isAbove = (value: number | null, level: number | null, unit: Unit): boolean =>
  unit === 'ms' ? isSlowerThan(value, level) : (value ?? 0) > (level ?? 0) * (1 + SLOWER.ratio);

/** Rounds to the digits that pages show: two after the point below 10, one below 100, none above. */
function shownDigits(value: number | null): number | null {
  if (value === null) return null;
  const factor = value < 10 ? 100 : value < 100 ? 10 : 1;
  return Math.round(value * factor) / factor;
}
