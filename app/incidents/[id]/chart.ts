import { carrierStyle, type LineStyle } from '#components/charts/styles.ts';
import type { TrendLine } from '#components/charts/trend-chart.tsx';
import { type Measure, measureOf } from '#components/incident/measure.ts';
import type { Incident, IncidentCell } from '#contract/incident.ts';
import type { Series } from '#contract/query.ts';
import type { Metric, Stat } from '#contract/vocabulary.ts';
import { carrierName, locationName } from '#i18n/names.ts';
import type { Ui } from '#i18n/ui.ts';
import { ServiceError } from '#server/environment/errors.ts';
import { querySeriesForChart } from '#server/figures/series.ts';

/** Shown before the onset and after the end, at least: enough to see what was usual. Lasting changes need more. */
const AROUND_MS = { brief: 3 * 3_600_000, lasting: 48 * 3_600_000 };
const LONGEST_MS = 21 * 86_400_000;
/** More series than this cannot be told apart. */
export const MAX_LINES = 6;

export type IncidentChart = {
  metric: Metric;
  stat: Stat;
  lines: TrendLine[];
  hidden: number;
  stepSeconds: number;
  /** What gives the same from /api/v1/series; null where the lines are of several targets, which one request does not ask for. */
  asked: Record<string, string> | null;
};

/** From when to when an incident's charts and links look, RFC 3339. */
export function chartRange({ kind, onsetAt, resolvedAt }: Incident, now: number): { from: string; to: string } {
  const lasting = kind === 'regression' || kind === 'improvement';
  const around = lasting ? AROUND_MS.lasting : AROUND_MS.brief;
  const onset = Date.parse(onsetAt);
  const end = resolvedAt === null ? now : Date.parse(resolvedAt);
  const to = Math.min(now, end + around, onset + LONGEST_MS);
  const whole = (at: number) => new Date(Math.ceil(at / 60_000) * 60_000).toISOString();
  return { from: whole(onset - around), to: whole(Math.max(to, onset + 600_000)) };
}

/** Cells by the target that they are about, in the order in which charts show them. */
export const cellsByTarget = (cells: IncidentCell[]): OfTarget[] =>
  [...Map.groupBy(cells, ({ targetId }) => targetId)].flatMap(([id, same]) =>
    id === null ? [] : [{ id, cells: same }],
  );

/** The series of an incident: by location for one target, else one per target. */
export async function incidentChart(
  ui: Ui,
  incident: Incident,
  range: { from: string; to: string },
): Promise<IncidentChart | null> {
  const measure = measureOf(incident);
  if (!measure) return null;
  const byTarget = cellsByTarget(incident.cells);
  const [only] = byTarget;
  if (!only) return null;
  const asked = { ...measure, ...range };
  const found =
    byTarget.length === 1
      ? await orNone(linesOfTarget(ui, only, asked))
      : (
          await Promise.all(byTarget.slice(0, MAX_LINES).map((each, index) => orNone(lineOfTarget(each, index, asked))))
        ).flat();
  const lines = found.slice(0, MAX_LINES).map(({ line }) => line);
  const hidden = Math.max(0, (byTarget.length === 1 ? found.length : byTarget.length) - MAX_LINES);
  const parameters = byTarget.length === 1 ? Object.entries({ ...asked, ...placesOf(only) }) : null;
  return {
    ...measure,
    lines,
    hidden,
    stepSeconds: found[0]?.stepSeconds ?? 60,
    asked: parameters && Object.fromEntries(parameters.map(([name, value]) => [name, [value].flat().join(',')])),
  };
}

/** A target that was deleted since has no series any more, but its incidents stay. */
async function orNone(lines: Promise<Found[]>): Promise<Found[]> {
  try {
    return await lines;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return [];
    throw error;
  }
}

type Asked = Measure & { from: string; to: string };
type OfTarget = { id: string; cells: IncidentCell[] };
type Found = { line: TrendLine; stepSeconds: number };

const places = (cells: IncidentCell[]) => {
  const region = [...new Set(cells.flatMap((cell) => cell.region ?? []))];
  const carrier = [...new Set(cells.flatMap((cell) => cell.carrier ?? []))];
  return { ...(region.length > 0 ? { region } : {}), ...(carrier.length > 0 ? { carrier } : {}) };
};

/** What the series of a target are chosen by: few cells are series of their own; many are drawn by carrier. */
function placesOf({ id, cells }: OfTarget) {
  const apart = new Set(cells.map(({ region, carrier }) => `${region} ${carrier}`)).size <= MAX_LINES;
  const groupBy: ('region' | 'carrier')[] = apart ? ['region', 'carrier'] : ['carrier'];
  return { target: id, ...places(cells), groupBy };
}

async function linesOfTarget(ui: Ui, of: OfTarget, asked: Asked): Promise<Found[]> {
  const { cells } = of;
  const chosen = placesOf(of);
  const apart = chosen.groupBy.length > 1;
  const series = await querySeriesForChart({ ...asked, ...chosen });
  const wanted = new Set(cells.map(({ region, carrier }) => `${region} ${carrier}`));
  const regions = [...new Set(cells.map(({ region }) => region))];
  return series.series.flatMap(({ labels }, index) => {
    const { region, carrier = '' } = labels;
    if (apart && !wanted.has(`${region} ${carrier}`)) return [];
    const name = region ? locationName(ui, region, carrier) : carrierName(ui, carrier);
    const style = carrierStyle(carrier, region ? regions.indexOf(region) : 0);
    return [{ line: lineOf(series, index, name, style), stepSeconds: series.stepSeconds }];
  });
}

/** Targets have no colours of their own: they are told apart as carriers are elsewhere. */
export const targetStyle = (index: number): LineStyle =>
  carrierStyle(TARGET_TOKENS[index % TARGET_TOKENS.length] ?? 'other', index);

const TARGET_TOKENS = ['telecom', 'unicom', 'mobile', 'cernet', 'broadnet', 'other'];

async function lineOfTarget({ id, cells }: OfTarget, index: number, asked: Asked): Promise<Found[]> {
  const series = await querySeriesForChart({ target: id, ...asked, ...places(cells), groupBy: [] });
  const line = lineOf(series, 0, cells[0]?.targetName ?? id, targetStyle(index));
  return [{ line, stepSeconds: series.stepSeconds }];
}

function lineOf(series: Series, index: number, name: string, style: LineStyle): TrendLine {
  const points = series.series[index]?.points ?? [];
  return { ...style, name, points: points.map(([at, value]) => [Date.parse(at), value]) };
}
