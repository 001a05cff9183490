import { carrierStyle, type LineStyle, phaseStyle, statStyle } from '#components/charts/styles.ts';
import type { TrendLine } from '#components/charts/trend-chart.tsx';
import { type Filter, measuredVariant } from '#components/filters/filter.ts';
import type { Series } from '#contract/query.ts';
import { isShare, PHASES, type Stat } from '#contract/vocabulary.ts';
import { carrierName, locationName } from '#i18n/names.ts';
import type { Ui } from '#i18n/ui.ts';
import { AVAILABILITY } from '#server/figures/failure-spans.ts';
import { type Lines, readCharts } from '#server/figures/series.ts';
import type { WatchedTarget } from '#server/targets/target-ref.ts';
import type { Places } from '#server/vantages/labels.ts';
import { narrowed } from '../figures.ts';

/** More series than this in one chart cannot be told apart. */
export const MAX_LINES = 12;
/** Up to this many regions chosen, each region's carriers are series of their own. */
const REGIONS_APART = 4;
/** Probers and rollups may be this late with a step's last results. */
const LATE_MS = 20_000;
const PERCENTILES = ['p50', 'p95', 'p99', 'min', 'max'] as const;
/** Where a point is longer than this (s), what lasted some minutes is lost in its percentiles. */
const FINE_STEP = 300;
/** The greatest value may be so many times the highest P95 before it leaves the percentiles no room. */
const ROOM = 4;

/**
 * `generated`: some values before it (RFC 3339) were generated and stand for ten minutes each, whatever the step; `imported`: some up to it
 * were measured by another monitor.
 */
export type TrendData = Record<'generated' | 'imported', string | null> & {
  lines: TrendLine[];
  stepSeconds: number;
  hidden: number;
};

/** How long before the range an overlay begins, ms. */
const OVERLAY_MS: Record<Filter['overlay'], number> = { none: 0, day: 86_400_000, week: 7 * 86_400_000 };

/**
 * What a trend shows of one target under one filter; `heat` is by region and carrier, and not there of a share; `earlier` are the series of
 * the overlay, at their own times.
 */
export type TrendSeries = Record<'byLine' | 'availability', Series> & {
  earlier: Series | undefined;
  percentiles: Series[];
  phases: Series[];
  heat: Series | undefined;
};

type Chart = Awaited<ReturnType<typeof readCharts>>[number];

/** Reads all of it in one go. `phaseStat` is what phases and heatmap show. Throws as `querySeries` does. */
export async function readTrend(
  target: WatchedTarget,
  filter: Filter,
  phaseStat: Stat,
  places: Places,
): Promise<TrendSeries> {
  const { metric, stat } = filter;
  const variant = measuredVariant(filter);
  const overall = (asked: Pick<Lines, 'metric' | 'stat'>): Lines => ({ ...asked, groupBy: [], variant });
  const line: Lines = { metric, stat, groupBy: apart(filter) ? ['region', 'carrier'] : ['carrier'], variant };
  const asked: Lines[] = [
    line,
    AVAILABILITY,
    ...PERCENTILES.map((each) => overall({ metric, stat: each })),
    ...PHASES.map((phase) => overall({ metric: phase, stat: phaseStat })),
    ...(isShare(metric)
      ? []
      : [{ metric, stat: phaseStat, groupBy: ['region' as const, 'carrier' as const], variant }]),
  ];
  const chosen = narrowed(filter);
  const [[byLine, availability, ...others], [earlier]] = await Promise.all([
    readCharts(target, chosen, asked, places),
    filter.overlay === 'none' ? [] : readCharts(target, { ...chosen, ...earlierRange(filter) }, [line], places),
  ]);
  const drawn = others.map((chart) => chart.drawn);
  const [percentiles, more] = [drawn.slice(0, PERCENTILES.length), drawn.slice(PERCENTILES.length)];
  const [phases, heat] = [more.slice(0, PHASES.length), more[PHASES.length]];
  return {
    byLine: (byLine as Chart).drawn,
    availability: (availability as Chart).whole,
    earlier: earlier?.drawn,
    percentiles,
    phases,
    heat,
  };
}

/** The range of the overlay, RFC 3339. */
function earlierRange({ from, to, overlay }: Filter): { from: string; to: string } {
  const before = (time: string) => new Date(Date.parse(time) - OVERLAY_MS[overlay]).toISOString();
  return { from: before(from), to: before(to) };
}

/** The phases of all locations together, in the order in which they happen. */
export function phaseLines(ui: Ui, all: Series[]): TrendData {
  const lines = all.flatMap((series, index) => {
    const phase = PHASES[index];
    return phase ? [lineOf(series, 0, ui.t(`metric.${phase}`), phaseStyle(phase, index))] : [];
  });
  return { lines, hidden: 0, ...stretchOf(all[0]) };
}

function stretchOf(series: Series | undefined): Pick<TrendData, 'stepSeconds' | 'generated' | 'imported'> {
  const { stepSeconds = 60, generatedUntil = null, importedUntil = null } = series ?? {};
  return { stepSeconds, generated: generatedUntil, imported: importedUntil };
}

/** Says whether each region's carriers are series of their own. */
export const apart = ({ regions }: Filter) => regions.length > 0 && regions.length <= REGIONS_APART;

type Drawing = Pick<Filter, 'regions' | 'overlay'> & { earlier: Series | undefined };

/**
 * The chosen metric by carrier, or by region and carrier (北京移动) where few regions are chosen; as far as there is room, those of the
 * overlay at the times of the others.
 */
export function carrierLines(ui: Ui, series: Series, { regions, overlay, earlier }: Drawing): TrendData {
  const named = (of: Series) =>
    of.series.map(({ labels }, index) => {
      const { region, carrier = '' } = labels;
      const name = region ? locationName(ui, region, carrier) : carrierName(ui, carrier);
      return lineOf(of, index, name, carrierStyle(carrier, region ? regions.indexOf(region) : 0));
    });
  const lines = named(series);
  if (lines.length === 1) lines.push(...usualLine(ui, series));
  const behind = earlier ? named(earlier) : [];
  const times = series.series[0]?.points.map(([at]) => Date.parse(at)) ?? [];
  const overlaid = behind.map(({ name, points, ...style }) => ({
    ...style,
    dash: [2, 4],
    name: ui.t(`trend.overlaid.${overlay}`, { name }),
    points: laidOver(points, { times, offsetMs: OVERLAY_MS[overlay], stepMs: (earlier?.stepSeconds ?? 0) * 1_000 }),
  }));
  return {
    lines: [...lines.slice(0, MAX_LINES), ...overlaid.slice(0, Math.max(0, MAX_LINES - lines.length))],
    hidden: lines.length - MAX_LINES,
    ...stretchOf(series),
  };
}

type Laying = { times: number[]; offsetMs: number; stepMs: number };

/**
 * Points of an earlier range at the times (ms) of this one: a chart takes points of several lines for simultaneous by their numbers, and the
 * earlier range may have another step, as generated values have.
 */
function laidOver(points: TrendLine['points'], { times, offsetMs, stepMs }: Laying): TrendLine['points'] {
  let next = 0;
  return times.map((time) => {
    const at = time - offsetMs;
    while ((points[next]?.[0] ?? Number.POSITIVE_INFINITY) + stepMs <= at) next += 1;
    const [start = Number.POSITIVE_INFINITY, value = null] = points[next] ?? [];
    return [time, start <= at ? value : null];
  });
}

/** `extremes`: whether the least and greatest values are drawn. */
export type PercentileData = TrendData & { extremes: boolean };

/**
 * Percentiles of the chosen metric over all locations together: a band from the median to P95; P99, which dwarfs them, when it is asked for;
 * and below them the band of all values.
 */
export function percentileLines(
  ui: Ui,
  all: Series[],
  { axis, extremes }: Pick<Filter, 'axis' | 'extremes'>,
): PercentileData {
  const isShown = extremes === 'auto' ? hasRoom(all, axis) : extremes === 'shown';
  const isExtreme = ({ stat }: Series) => stat === 'min' || stat === 'max';
  const line = (series: Series): TrendLine => {
    const { stat } = series;
    const isBand = stat === 'p95' || stat === 'max';
    const look = isBand ? { band: true as const } : stat === 'p99' ? { off: true as const } : {};
    return { ...lineOf(series, 0, ui.t(`stat.${stat}`), statStyle(stat)), ...look };
  };
  const [median] = all;
  const lines = [
    ...all.filter((series) => !isExtreme(series)).map(line),
    ...(median ? usualLine(ui, median) : []),
    // Last, hence below the others.
    ...(isShown ? all.filter(isExtreme).map(line) : []),
  ];
  return { lines, hidden: 0, ...stretchOf(median), extremes: isShown };
}

/** Whether the extremes of long steps can be drawn with percentiles that stay readable. */
function hasRoom(all: Series[], axis: Filter['axis']): boolean {
  const highest = (stat: Stat) =>
    Math.max(
      0,
      ...all
        .filter((each) => each.stat === stat)
        .flatMap(({ series }) => series[0]?.points ?? [])
        .map(([, value]) => value ?? 0),
    );
  return (all[0]?.stepSeconds ?? 0) > FINE_STEP && (axis === 'log' || highest('max') <= ROOM * highest('p95'));
}

/** The usual level of the only line of a series; none where it is not known. */
function usualLine(ui: Ui, { series: [line] }: Series): TrendLine[] {
  const usual = line?.usual ?? [];
  if (!line || usual.every((level) => level === null)) return [];
  const points = line.points.map(([at], index): [number, number | null] => [Date.parse(at), usual[index] ?? null]);
  return [{ token: '--muted', dash: [2, 3], marker: 'cross', name: ui.t('usual.line'), points }];
}

function lineOf(series: Series, index: number, name: string, style: LineStyle): TrendLine {
  const points = settled(series.series[index]?.points ?? [], series.stepSeconds, Date.now());
  return { ...style, name, points: points.map(([at, value]) => [Date.parse(at), value]) };
}

type Points = Series['series'][number]['points'];

/** Without the step that is running at `now` (ms) while it has less than half the probes of the one before: a fall that is none. */
function settled(points: Points, stepSeconds: number, now: number): Points {
  const last = points.findLastIndex(([, , n]) => n > 0);
  const [running, before] = [points[last], points[last - 1]];
  if (!running || !before || Date.parse(running[0]) + stepSeconds * 1_000 + LATE_MS < now) return points;
  return running[2] * 2 < before[2] ? points.toSpliced(last, 1, [running[0], null, 0]) : points;
}
