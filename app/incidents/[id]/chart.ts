import type { Annotation } from '#components/charts/annotations.ts';
import { carrierStyle, type LineStyle, statStyle } from '#components/charts/styles.ts';
import type { TrendLine } from '#components/charts/trend.options.ts';
import { middle } from '#components/incident/cell-grid.ts';
import { lineCells, valueText } from '#components/incident/words.ts';
import type { Incident, IncidentCell } from '#contract/incident.ts';
import type { Series } from '#contract/query.ts';
import { METRICS, type Metric, type Stat } from '#contract/vocabulary.ts';
import { carrierName, lineName } from '#i18n/names.ts';
import type { Ui } from '#i18n/ui.ts';
import { querySeries } from '#server/series.ts';

/** Shown before the onset and after the end, at least: enough to see what was usual. Lasting changes need more. */
const AROUND_MS = { brief: 3 * 3_600_000, lasting: 48 * 3_600_000 };
const LONGEST_MS = 21 * 86_400_000;
/** More lines than this can't be told apart. */
export const MAX_LINES = 6;

export type IncidentChart = {
  metric: Metric;
  stat: Stat;
  lines: TrendLine[];
  hidden: number;
  stepSeconds: number;
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

/** What the chart shows of an incident; null where it is about nothing that is measured over time. */
export function measureOf({ kind, metric, evidence }: Incident): { metric: Metric; stat: Stat } | null {
  if (kind === 'certificate' || kind === 'staple' || kind === 'silent') return null;
  if (kind === 'down' || metric === 'failures') return { metric: 'tls', stat: 'availability' };
  const known = METRICS.find((name) => name === metric) ?? 'tls';
  const stat = kind === 'threshold' && typeof evidence.stat === 'string' ? evidence.stat : 'p50';
  return { metric: known, stat: stat === 'p95' || stat === 'p99' || stat === 'availability' ? stat : 'p50' };
}

/** The lines that an incident is seen on: by place for one target, else a target a line. */
export async function incidentChart(
  ui: Ui,
  incident: Incident,
  range: { from: string; to: string },
): Promise<IncidentChart | null> {
  const measure = measureOf(incident);
  if (!measure) return null;
  const byTarget = [...Map.groupBy(incident.cells, ({ targetId }) => targetId)].flatMap(([id, cells]) =>
    id === null ? [] : [{ id, cells }],
  );
  const [only] = byTarget;
  if (!only) return null;
  const found =
    byTarget.length === 1
      ? await linesOfTarget(ui, only, { ...measure, ...range })
      : await Promise.all(
          byTarget.slice(0, MAX_LINES).map((each, index) => lineOfTarget(each, index, { ...measure, ...range })),
        );
  const lines = found.slice(0, MAX_LINES).map(({ line }) => line);
  const hidden = (byTarget.length === 1 ? found.length : byTarget.length) - lines.length;
  return { ...measure, lines, hidden, stepSeconds: found[0]?.stepSeconds ?? 60 };
}

type Asked = { metric: Metric; stat: Stat; from: string; to: string };
type OfTarget = { id: string; cells: IncidentCell[] };
type Found = { line: TrendLine; stepSeconds: number };

const places = (cells: IncidentCell[]) => {
  const region = [...new Set(cells.flatMap((cell) => cell.region ?? []))];
  const carrier = [...new Set(cells.flatMap((cell) => cell.carrier ?? []))];
  return { ...(region.length > 0 ? { region } : {}), ...(carrier.length > 0 ? { carrier } : {}) };
};

/** Few cells are lines of their own; many are drawn by carrier. */
async function linesOfTarget(ui: Ui, { id, cells }: OfTarget, asked: Asked): Promise<Found[]> {
  const apart = new Set(cells.map(({ region, carrier }) => `${region} ${carrier}`)).size <= MAX_LINES;
  const series = await querySeries({
    target: id,
    ...asked,
    ...places(cells),
    groupBy: apart ? ['region', 'carrier'] : ['carrier'],
  });
  const wanted = new Set(cells.map(({ region, carrier }) => `${region} ${carrier}`));
  const regions = [...new Set(cells.map(({ region }) => region))];
  return series.series.flatMap(({ labels }, index) => {
    const { region, carrier = '' } = labels;
    if (apart && !wanted.has(`${region} ${carrier}`)) return [];
    const name = region ? lineName(ui, region, carrier) : carrierName(ui, carrier);
    const style = carrierStyle(carrier, region ? regions.indexOf(region) : 0);
    return [{ line: lineOf(series, index, name, style), stepSeconds: series.stepSeconds }];
  });
}

const TARGET_TOKENS = ['telecom', 'unicom', 'mobile', 'cernet', 'broadnet', 'other'];

async function lineOfTarget({ id, cells }: OfTarget, index: number, asked: Asked): Promise<Found> {
  const series = await querySeries({ target: id, ...asked, ...places(cells), groupBy: [] });
  const style = carrierStyle(TARGET_TOKENS[index % TARGET_TOKENS.length] ?? 'other', index);
  return { line: lineOf(series, 0, cells[0]?.targetName ?? id, style), stepSeconds: series.stepSeconds };
}

function lineOf(series: Series, index: number, name: string, style: LineStyle): TrendLine {
  const points = series.series[index]?.points ?? [];
  return { ...style, name, points: points.map(([at, value]) => [Date.parse(at), value]) };
}

/** The onset, the end, the levels before and after, and the markers nearby. */
export function incidentAnnotations(ui: Ui, incident: Incident, range: { from: string; to: string }): Annotation[] {
  const { t } = ui;
  const onset = Date.parse(incident.onsetAt);
  const end = incident.resolvedAt === null ? null : Date.parse(incident.resolvedAt);
  const measured = incident.kind !== 'down' && incident.metric !== 'failures';
  const level = (field: 'beforeMs' | 'afterMs') => middle(lineCells(incident).flatMap((cell) => cell[field] ?? []));
  const before = measured ? level('beforeMs') : null;
  const after = measured ? level('afterMs') : null;
  const value = (ms: number) => valueText(ui, incident.metric, ms);
  const better = incident.kind === 'improvement';
  const last = end ?? Date.parse(range.to);
  return [
    { kind: 'line', at: onset, label: t('incident.onset'), token: better ? '--good' : '--bad' },
    ...(end === null
      ? []
      : [{ kind: 'line' as const, at: end, label: t('incident.resolvedAt'), token: '--good', dashed: true }]),
    ...(before === null
      ? []
      : [
          levelOf(
            Date.parse(range.from),
            onset,
            before,
            t('incident.levelBefore', { value: value(before) }),
            '--muted',
          ),
        ]),
    ...(after === null
      ? []
      : [levelOf(onset, last, after, t('incident.levelAfter', { value: value(after) }), better ? '--good' : '--bad')]),
    ...incident.candidates.flatMap((candidate): Annotation[] =>
      candidate.kind === 'marker'
        ? [
            {
              kind: 'line',
              at: Date.parse(candidate.at),
              label: short(candidate.title),
              token: statStyle('p50').token,
              dashed: true,
            },
          ]
        : [],
    ),
  ];
}

const levelOf = (from: number, to: number, value: number, label: string, token: string): Annotation => ({
  kind: 'level',
  from,
  to,
  value,
  label,
  token,
});

const MAX_FLAG = 18;
const short = (title: string) => (title.length > MAX_FLAG ? `${title.slice(0, MAX_FLAG - 1)}…` : title);
