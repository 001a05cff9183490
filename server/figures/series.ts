import { type Summary, statisticOf } from '#analysis/summary.ts';
import { MAX_POINTS, type Series, type SeriesQuery } from '#contract/query.ts';
import { unitOf } from '#contract/vocabulary.ts';
import { invalidField } from '#server/environment/errors.ts';
import { readRollups } from '#server/rollups/read.ts';
import { targetRef } from '#server/targets/target-ref.ts';
import { selectVantages, type VantageLabels, vantageLabels } from '#server/vantages/labels.ts';
import { generatedUntil, instantOf, type Range, resolveRange } from './range.ts';
import { isUsual, readUsual, type Usual, type UsualMetric } from './usual.ts';

const STEPS = [60, 300, 600, 1_800, 3_600, 21_600, 86_400];
/** Where the step is left to us, a line has about as many points as a chart has room for. */
const COMFORTABLE_POINTS = 200;
/** What is asked for; without a variant the main handshakes. */
type Asked = Omit<SeriesQuery, 'variant'> & Partial<Pick<SeriesQuery, 'variant'>>;

/** What was generated has a value in ten minutes. */
const GENERATED_STEP = 600;
/** Most lines of one answer; beyond it the chart is unreadable, and memory has an end. */
const MAX_LINES = 500;

type Labels = Record<string, string>;
type Grouping = { groups: Map<string, number>; labels: Labels[] };

/**
 * One line for each group of vantages, with a point for every step in the range (value null and n 0 where nothing was
 * measured). Steps are aligned to 1970-01-01 UTC, so the first and the last may reach over the range, of which alone
 * they tell. Percentiles come from merged histograms.
 */
export async function querySeries(query: Asked): Promise<Series> {
  const target = await targetRef(query.target);
  const range = resolveRange(query);
  const generated = await generatedUntil(target, range);
  // Where all was generated; what was measured has its minutes, whatever stands before it.
  const shortest = generated !== null && Date.parse(generated) >= range.to * 1_000 ? GENERATED_STEP : 60;
  const step = chooseStep(range, query.step, shortest);
  const { groups, labels } = await groupVantages(query);
  const cells = await readRollups({
    targetId: target.id,
    ...range,
    step,
    metric: query.metric,
    variant: query.variant,
    groups,
  });
  const found = new Map(cells.map(({ slot, group, summary }) => [`${slot} ${group}`, summary]));
  const slots = slotsOf(range, step);
  // A vantage that never measured this target is no line.
  const measured = new Set(cells.map((cell) => cell.group));
  const usual =
    query.stat === 'p50' && isUsual(query.metric) && (query.variant ?? 'main') === 'main'
      ? usualLines(await readUsual(target.id), query.metric, groups, { ...range, step, slots })
      : null;
  const lines = labels.map((label, group) => ({ label, group })).filter(({ group }) => measured.has(group));
  if (lines.length > MAX_LINES) throw invalidField('groupBy', `gives ${lines.length} lines, more than ${MAX_LINES}`);
  return {
    metric: query.metric,
    stat: query.stat,
    unit: unitOf(query.metric, query.stat),
    stepSeconds: step,
    from: instantOf(range.from),
    to: instantOf(range.to),
    demo: target.demo,
    generatedUntil: generated,
    series: lines.map(({ label, group }) => ({
      labels: label,
      points: slots.map((slot) => pointOf(slot, found.get(`${slot} ${group}`), query)),
      ...(usual && { usual: usual(group) }),
    })),
  };
}

/** The usual level of a line at each of its points: that of its vantages. */
function usualLines(
  usual: Usual,
  metric: UsualMetric,
  groups: ReadonlyMap<string, number>,
  { from, to, step, slots }: Range & { step: number; slots: number[] },
): (group: number) => (number | null)[] {
  return (group) => {
    const vantages = [...groups].flatMap(([id, own]) => (own === group ? [id] : []));
    return slots.map((slot) =>
      usual.levelOf(vantages, metric, { from: Math.max(from, slot), to: Math.min(to, slot + step) }),
    );
  };
}

/**
 * The same for a chart, which draws what was generated and what was measured side by side. A generated value stands for ten
 * minutes, all of whose probes it takes: at a shorter step each point of it would be other vantages' than the one before, and
 * one is drawn over the whole of its ten minutes. `n` of such points is that of the ten minutes, so they are not to be added up.
 */
export async function querySeriesForChart(query: Asked): Promise<Series> {
  const whole = await querySeries(query);
  const { generatedUntil: until, stepSeconds } = whole;
  if (until === null || stepSeconds >= GENERATED_STEP) return whole;
  // From the beginning of its ten minutes, so that the first value is as whole as the others.
  const from = instantOf(Math.floor(Date.parse(whole.from) / 1_000 / GENERATED_STEP) * GENERATED_STEP);
  const past = await querySeries({ ...query, from, to: until, step: GENERATED_STEP });
  const pointsOf = new Map(past.series.map(({ labels, points }) => [JSON.stringify(labels), points]));
  // A step in which the measuring began is what it is.
  const measuredFrom = Date.parse(until) - (stepSeconds - 1) * 1_000;
  const series = whole.series.map(({ labels, points, ...rest }) => ({
    ...rest,
    labels,
    points: widened(points, pointsOf.get(JSON.stringify(labels)) ?? [], measuredFrom),
  }));
  return { ...whole, series };
}

type Points = Series['series'][number]['points'];

/** `points`, before `until` (ms) with the values that `wide` has for ten minutes. */
function widened(points: Points, wide: Points, until: number): Points {
  const bySlot = new Map(wide.map(([at, value, n]) => [Date.parse(at), { value, n }]));
  return points.map(([at, value, n]) => {
    const start = Date.parse(at);
    if (start >= until) return [at, value, n];
    const generated = bySlot.get(start - (start % (GENERATED_STEP * 1_000)));
    return [at, generated?.value ?? null, generated?.n ?? 0];
  });
}

/** The step asked for, else the shortest that gives a chart's points. Throws `invalid` for too many points. */
export function chooseStep(range: Range, wanted: number | undefined, shortest: number): number {
  const step =
    wanted ?? STEPS.find((each) => each >= shortest && pointsIn(range, each) <= COMFORTABLE_POINTS) ?? 86_400;
  const points = pointsIn(range, step);
  if (points > MAX_POINTS)
    throw invalidField('step', `gives ${points} points, more than ${MAX_POINTS}: ask for a longer one`);
  return step;
}

function pointsIn({ from, to }: Range, step: number): number {
  return Math.ceil(to / step) - Math.floor(from / step);
}

function slotsOf(range: Range, step: number): number[] {
  const first = Math.floor(range.from / step) * step;
  return Array.from({ length: pointsIn(range, step) }, (_, index) => first + index * step);
}

function pointOf(slot: number, summary: Summary | undefined, query: Asked): [string, number | null, number] {
  const { value, n } = summary ? statisticOf(summary, query.metric, query.stat) : { value: null, n: 0 };
  return [instantOf(slot), value, n];
}

/** Which line each selected vantage belongs to; without `groupBy` all belong to one without labels. */
async function groupVantages(query: Asked): Promise<Grouping> {
  const [places, selected] = await Promise.all([vantageLabels(), selectVantages(query)]);
  const ids = selected ?? [...places.keys()];
  const groups = new Map<string, number>();
  const labels = new Map<string, { index: number; label: Labels }>();
  for (const id of ids) {
    const place = places.get(id);
    if (!place) continue;
    const label = labelsOf(place, query.groupBy);
    const key = JSON.stringify(label);
    const group = labels.get(key) ?? { index: labels.size, label };
    labels.set(key, group);
    groups.set(id, group.index);
  }
  return { groups, labels: [...labels.values()].map(({ label }) => label) };
}

function labelsOf(place: VantageLabels, keys: SeriesQuery['groupBy']): Labels {
  return Object.fromEntries(keys.map((key) => [key, key === 'vantage' ? place.id : place[key]]));
}
