import { emptySummary, mergeSummary, type Summary, statisticOf } from '#analysis/summary.ts';
import { MAX_POINTS, type Series, type SeriesQuery } from '#contract/query.ts';
import { unitOf } from '#contract/vocabulary.ts';
import { invalidField } from '#server/environment/errors.ts';
import { readRanges } from '#server/rollups/read.ts';
import { targetRef, type WatchedTarget } from '#server/targets/target-ref.ts';
import { type Places, readPlaces, type VantageLabels } from '#server/vantages/labels.ts';
import { generatedUntil, importedUntil, instantOf, type Range, resolveRange } from './range.ts';
import { isUsual, readUsual, type Usual, type UsualMetric } from './usual.ts';

/** Steps that points may have, s. */
export const STEPS = [60, 300, 600, 1_800, 3_600, 21_600, 86_400];
/** Where the step is left to us, a line has about as many points as a chart has room for. */
const COMFORTABLE_POINTS = 200;
/** What is asked for; without a variant the main handshakes. */
type Asked = Omit<SeriesQuery, 'variant'> & Partial<Pick<SeriesQuery, 'variant'>>;
/** What is asked for of one target over one range, of the vantages that a filter selects; `step` in s. */
type Over = Omit<Asked, 'target' | 'format' | keyof Lines>;
/** One of the series that are asked for together. */
export type Lines = Pick<Asked, 'metric' | 'stat' | 'groupBy' | 'variant'>;

/** What was generated has a value in ten minutes. */
const GENERATED_STEP = 600;
/** Most lines of one answer; beyond it the chart is unreadable, and memory has an end. */
const MAX_LINES = 500;

type Labels = Record<string, string>;
/** `all`: one line of every vantage. */
type Grouping = { groups: Map<string, number>; labels: Labels[]; all: boolean };

/**
 * One line for each group of vantages, with a point for every step in the range (value null and n 0 where nothing was
 * measured). Steps are aligned to 1970-01-01 UTC, so the first and the last may reach over the range, of which alone
 * they tell. Percentiles come from merged histograms.
 */
export async function querySeries(query: Asked): Promise<Series> {
  const [series] = await readSeries(await targetRef(query.target), query, [query], await readPlaces(query));
  return series as Series;
}

/** Several series of one target and range, as `querySeries` gives one, in one go. */
async function readSeries(
  target: WatchedTarget,
  query: Over,
  asked: readonly Lines[],
  places: Places,
): Promise<Series[]> {
  const range = resolveRange(query);
  const generated = await generatedUntil(target, range);
  // Where all was generated; what was measured has its minutes, whatever stands before it.
  const shortest = generated !== null && Date.parse(generated) >= range.to * 1_000 ? GENERATED_STEP : 60;
  const step = chooseStep(range, query.step, shortest);
  const slots = slotsOf(range, step);
  const instants = slots.map(instantOf);
  // Of statistics that are of the same values, these are added up once.
  const keys = asked.map(({ metric, variant = 'main', groupBy }) => [metric, variant, ...groupBy].join(' '));
  const distinct = new Map(
    keys.map((key, index) => {
      const { metric, variant, groupBy } = asked[index] as Lines;
      return [key, { metric, variant, groupBy, grouping: groupVantages(places, groupBy) }];
    }),
  );
  const isLevelled = ({ metric, stat, variant = 'main' }: Lines) =>
    stat === 'p50' && isUsual(metric) && variant === 'main';
  const [sums, imported, usual] = await Promise.all([
    readSums([...distinct.values()], { targetId: target.id, ...range, step }),
    importedUntil(target, range, places),
    asked.some(isLevelled) ? readUsual(target.id, places.labels) : null,
  ]);
  return asked.map(({ metric, stat, ...lines }, index) => {
    const values = distinct.get(keys[index] ?? '') as Values;
    const { groups, labels } = values.grouping;
    const found = sums.get(values);
    // A vantage that never measured this target is no line.
    const measured = new Set([...(found?.values() ?? [])].flatMap((own) => Object.keys(own).map(Number)));
    const levels =
      usual && isUsual(metric) && isLevelled({ metric, stat, ...lines })
        ? usualLines(usual, metric, groups, { ...range, step, slots, imported })
        : null;
    const shown = labels.map((label, group) => ({ label, group })).filter(({ group }) => measured.has(group));
    if (shown.length > MAX_LINES) throw invalidField('groupBy', `gives ${shown.length} lines, more than ${MAX_LINES}`);
    const pointOf = (slot: number, position: number, group: number): Points[number] => {
      const summary = found?.get(slot)?.[group];
      const { value, n } = summary ? statisticOf(summary, metric, stat) : { value: null, n: 0 };
      return [instants[position] ?? '', value, n];
    };
    return {
      metric,
      stat,
      unit: unitOf(metric, stat),
      stepSeconds: step,
      from: instantOf(range.from),
      to: instantOf(range.to),
      demo: target.demo,
      generatedUntil: generated,
      importedUntil: imported,
      series: shown.map(({ label, group }) => ({
        labels: label,
        points: slots.map((slot, position) => pointOf(slot, position, group)),
        ...(levels && { usual: levels(group) }),
      })),
    };
  });
}

/** What lines are of, before a statistic is taken of it. */
type Values = Pick<Lines, 'metric' | 'variant' | 'groupBy'> & { grouping: Grouping };
/** Summaries by slot and group. */
type Sums = Map<number, Summary[]>;

/** Reads the summaries of values over one range; those of coarser groups are added up of finer ones, where these are read too. */
async function readSums(
  all: readonly Values[],
  range: Range & { targetId: string; step: number },
): Promise<Map<Values, Sums>> {
  const finer = new Map(all.map((values) => [values, finestOf(values, all)]));
  const asked = all.filter((values) => finer.get(values) === undefined);
  const read = await readRanges(
    asked.map(({ metric, variant, grouping: { all: isAll, groups } }) => {
      return { ...range, metric, variant, groups: isAll ? null : groups };
    }),
  );
  const sums = new Map<Values, Sums>();
  for (const [index, values] of asked.entries()) {
    const own: Sums = new Map();
    for (const { slot, group, summary } of read[index] ?? []) placeIn(own, slot)[group] = summary;
    sums.set(values, own);
  }
  for (const [values, fine] of finer) if (fine) sums.set(values, coarser(sums.get(fine), fine, values));
  return sums;
}

/** Those of the most groups of which these values can be added up. */
const finestOf = ({ metric, variant, groupBy, grouping }: Values, all: readonly Values[]): Values | undefined =>
  all
    .filter(
      (other) =>
        !grouping.all &&
        [other.metric, other.variant].every((part, index) => part === [metric, variant][index]) &&
        other.groupBy.length > groupBy.length &&
        groupBy.every((key) => other.groupBy.includes(key)),
    )
    .toSorted((a, b) => b.groupBy.length - a.groupBy.length)[0];

function coarser(fine: Sums | undefined, { grouping: from }: Values, { grouping: to }: Values): Sums {
  const groupOf = new Map([...from.groups].map(([id, group]) => [group, to.groups.get(id) ?? 0]));
  const sums: Sums = new Map();
  for (const [slot, own] of fine ?? [])
    own.forEach((summary, group) => {
      const groups = placeIn(sums, slot);
      const index = groupOf.get(group) ?? 0;
      const sum = groups[index] ?? emptySummary();
      groups[index] = sum;
      mergeSummary(sum, summary);
    });
  return sums;
}

function placeIn(sums: Sums, slot: number): Summary[] {
  const known = sums.get(slot) ?? [];
  sums.set(slot, known);
  return known;
}

/** The usual level of a line at each of its points: that of its vantages. */
function usualLines(
  usual: Usual,
  metric: UsualMetric,
  groups: ReadonlyMap<string, number>,
  { from, to, step, slots, imported }: Range & { step: number; slots: number[]; imported: string | null },
): (group: number) => (number | null)[] {
  return (group) => {
    const vantages = [...groups].flatMap(([id, own]) => (own === group ? [id] : []));
    return slots.map((slot) =>
      usual.levelOf(vantages, metric, { from: Math.max(from, slot), to: Math.min(to, slot + step) }, imported),
    );
  };
}

/**
 * The same for a chart, which draws what was generated and what was measured side by side. A generated value stands for ten
 * minutes, all of whose probes it takes: at a shorter step each point of it would be other vantages' than the one before, and
 * one is drawn over the whole of its ten minutes. `n` of such points is that of the ten minutes, so they are not to be added up.
 */
export async function querySeriesForChart(query: Asked): Promise<Series> {
  const [charts] = await readCharts(await targetRef(query.target), query, [query], await readPlaces(query));
  return charts?.drawn as Series;
}

/** Several series of one target and range: each as `querySeries` gives it, and as it is drawn. */
export async function readCharts(
  target: WatchedTarget,
  query: Over,
  asked: readonly Lines[],
  places: Places,
): Promise<{ whole: Series; drawn: Series }[]> {
  const series = await readSeries(target, query, asked, places);
  const [first] = series;
  if (!first || first.generatedUntil === null || first.stepSeconds >= GENERATED_STEP)
    return series.map((whole) => ({ whole, drawn: whole }));
  const { generatedUntil: until, stepSeconds } = first;
  // From the beginning of its ten minutes, so that the first value is as whole as the others.
  const from = instantOf(Math.floor(Date.parse(first.from) / 1_000 / GENERATED_STEP) * GENERATED_STEP);
  const past = await readSeries(target, { ...query, from, to: until, step: GENERATED_STEP }, asked, places);
  // A step in which the measuring began is what it is.
  const measuredFrom = Date.parse(until) - (stepSeconds - 1) * 1_000;
  return series.map((whole, index) => {
    const pointsOf = new Map(past[index]?.series.map(({ labels, points }) => [JSON.stringify(labels), points]));
    const widen = ({ labels, points, ...rest }: Series['series'][number]) => ({
      ...rest,
      labels,
      points: widened(points, pointsOf.get(JSON.stringify(labels)) ?? [], measuredFrom),
    });
    return { whole, drawn: { ...whole, series: whole.series.map(widen) } };
  });
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

/** Points of a line over a range with a step, s. */
export function pointsIn({ from, to }: Range, step: number): number {
  return Math.ceil(to / step) - Math.floor(from / step);
}

function slotsOf(range: Range, step: number): number[] {
  const first = Math.floor(range.from / step) * step;
  return Array.from({ length: pointsIn(range, step) }, (_, index) => first + index * step);
}

/** Which line each selected vantage belongs to; without `groupBy` all belong to one without labels. */
export function groupVantages({ labels: places, selected }: Places, groupBy: Lines['groupBy']): Grouping {
  const groups = new Map<string, number>();
  const labels = new Map<string, { index: number; label: Labels }>();
  for (const id of selected ?? places.keys()) {
    const place = places.get(id);
    if (!place) continue;
    const label = labelsOf(place, groupBy);
    const key = JSON.stringify(label);
    const group = labels.get(key) ?? { index: labels.size, label };
    labels.set(key, group);
    groups.set(id, group.index);
  }
  const all = selected === null && groupBy.length === 0 && groups.size > 0;
  return { groups, labels: [...labels.values()].map(({ label }) => label), all };
}

function labelsOf(place: VantageLabels, keys: Lines['groupBy']): Labels {
  return Object.fromEntries(keys.map((key) => [key, key === 'vantage' ? place.id : place[key]]));
}
