import { carrierStyle, type LineStyle, phaseStyle, statStyle } from '#components/charts/styles.ts';
import type { TrendLine } from '#components/charts/trend-chart.tsx';
import { type Filter, measuredVariant } from '#components/filters/filter.ts';
import type { Series } from '#contract/query.ts';
import { type Metric, PHASES, type Stat } from '#contract/vocabulary.ts';
import { carrierName, locationName } from '#i18n/names.ts';
import type { Ui } from '#i18n/ui.ts';
import { querySeriesForChart } from '#server/figures/series.ts';
import { narrowed } from '../figures.ts';

/** More series than this in one chart cannot be told apart. */
export const MAX_LINES = 12;
/** Up to this many regions chosen, each region's carriers are series of their own. */
const REGIONS_APART = 4;
/** Probers and rollups may be this late with a step's last results. */
const LATE_MS = 20_000;
const PERCENTILES = ['p50', 'p95', 'p99'] as const;

/** `generated`: some values before it (RFC 3339) were generated and stand for ten minutes each, whatever the step. */
export type TrendData = { lines: TrendLine[]; stepSeconds: number; hidden: number; generated: string | null };

/** The part of a filter that series take. */
const measured = (filter: Filter) => ({ ...narrowed(filter), variant: measuredVariant(filter) });

/** The phases of all locations together, in the order in which they happen. */
export async function phaseLines(ui: Ui, target: string, filter: Filter, stat: Stat): Promise<TrendData> {
  const all = await Promise.all(
    PHASES.map((metric) => querySeriesForChart({ target, metric, stat, groupBy: [], ...measured(filter) })),
  );
  const lines = all.flatMap((series, index) => {
    const phase = PHASES[index];
    return phase ? [lineOf(series, 0, ui.t(`metric.${phase}`), phaseStyle(phase, index))] : [];
  });
  return { lines, stepSeconds: all[0]?.stepSeconds ?? 60, hidden: 0, generated: all[0]?.generatedUntil ?? null };
}

/** Says whether each region's carriers are series of their own. */
export const apart = ({ regions }: Filter) => regions.length > 0 && regions.length <= REGIONS_APART;

/** The chosen metric by carrier, or by region and carrier (北京移动) where few regions are chosen. */
export async function carrierLines(ui: Ui, target: string, filter: Filter): Promise<TrendData> {
  const series = await querySeriesForChart({
    target,
    metric: filter.metric,
    stat: filter.stat,
    groupBy: apart(filter) ? ['region', 'carrier'] : ['carrier'],
    ...measured(filter),
  });
  const lines = series.series.map(({ labels }, index) => {
    const { region, carrier = '' } = labels;
    const name = region ? locationName(ui, region, carrier) : carrierName(ui, carrier);
    return lineOf(series, index, name, carrierStyle(carrier, region ? filter.regions.indexOf(region) : 0));
  });
  if (lines.length === 1) lines.push(...usualLine(ui, series));
  return {
    lines: lines.slice(0, MAX_LINES),
    stepSeconds: series.stepSeconds,
    hidden: lines.length - MAX_LINES,
    generated: series.generatedUntil,
  };
}

/** Percentiles of the chosen metric over all locations together. */
export async function percentileLines(ui: Ui, target: string, filter: Filter, metric: Metric): Promise<TrendData> {
  const all = await Promise.all(
    PERCENTILES.map((stat) => querySeriesForChart({ target, metric, stat, groupBy: [], ...measured(filter) })),
  );
  const lines = all.map((series) => lineOf(series, 0, ui.t(`stat.${series.stat}`), statStyle(series.stat)));
  const [median] = all;
  if (median) lines.push(...usualLine(ui, median));
  return { lines, stepSeconds: all[0]?.stepSeconds ?? 60, hidden: 0, generated: all[0]?.generatedUntil ?? null };
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
