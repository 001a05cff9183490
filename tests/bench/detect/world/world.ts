import type { SyntheticSample } from '#analysis/synthetic/draw-samples.ts';
import type { SeriesEvent } from '#analysis/synthetic/event.ts';
import type { Gap } from '#analysis/synthetic/instants.ts';
import { samplesOf } from '#analysis/synthetic/series.ts';
import { calmConditions, type SeriesModel } from '#analysis/synthetic/series-model.ts';
import type { Span } from './draw-context.ts';
import { drawModels } from './draw-models.ts';
import { expectedTls } from './expected.ts';
import { type EventLabel, labelEvents, type SeriesLabel } from './labels.ts';
import { planEvents } from './plan.ts';
import { Random } from './random.ts';
import { drawRanges, type Style, type WorldRanges, within } from './ranges.ts';

const DAY = 86_400;
/** 2026-01-05 00:00 UTC, a Monday; worlds begin up to a year later, at any time of the week. */
const EPOCH = 1_767_571_200;

/** One series of a world with what happens on it; samples are drawn from it by `drawSeries`. */
export type WorldSeries = { model: SeriesModel; span: Span; events: SeriesEvent[]; gaps: Gap[] };
export type World = { style: Style; seed: number; series: WorldSeries[] };
export type Series = { label: SeriesLabel; samples: SyntheticSample[]; events: EventLabel[] };

/** A world of `count` series, all of it decided by seed and style: what tests and benches run the detector on. */
export function drawWorld(style: Style, seed: number, count: number): World {
  const random = new Random(seed).fork(style);
  const ranges = drawRanges(style, random.fork('climate'));
  const span = drawSpan(ranges, random.fork('span'));
  const models = drawModels(ranges, count, random.fork('lines'));
  const events = planEvents(ranges, models, span, random.fork('plan'));
  const gaps = vantageGaps(ranges, models, span, random.fork('gaps'));
  const series = models.map((model, index) => ({
    model,
    span: ownSpan(span, random.fork(`span ${index}`)),
    events: events[index] ?? [],
    gaps: gaps.get(`${model.region}/${model.carrier}`) ?? [],
  }));
  return { style, seed, series };
}

/** Half of all histories are short, and few days are for learning then. */
function drawSpan(ranges: WorldRanges, random: Random): Span {
  const days = within(ranges.days, random);
  const from = EPOCH + random.integer(0, 365 * DAY);
  const warmUp = Math.min(random.uniform(...ranges.warmUpDays), Math.max(1, days - 2));
  return { from, warmUpEnd: Math.floor(from + warmUp * DAY), to: Math.floor(from + days * DAY) };
}

/** One series in twelve was added later, where there is time enough to learn it anew. */
function ownSpan(span: Span, random: Random): Span {
  const late = random.uniform(0.1, 0.5) * (span.to - span.from);
  const warmUpEnd = span.warmUpEnd + late;
  if (!random.chance(1 / 12) || span.to - warmUpEnd < 2 * DAY) return span;
  return { from: Math.floor(span.from + late), warmUpEnd: Math.floor(warmUpEnd), to: span.to };
}

function vantageGaps(
  ranges: WorldRanges,
  models: readonly SeriesModel[],
  span: Span,
  random: Random,
): Map<string, Gap[]> {
  const gaps = new Map<string, Gap[]>();
  for (const model of models) {
    const vantage = `${model.region}/${model.carrier}`;
    if (!gaps.has(vantage)) gaps.set(vantage, drawGaps(span.from, span.to, within(ranges.gaps, random), random));
  }
  return gaps;
}

/** The samples of a series in time order, and the labels of what happened. */
export function drawSeries(planned: WorldSeries, seed: number): Series {
  const { model, span, events } = planned;
  const samples = samplesOf(planned, seed);
  const instants = samples.filter((sample) => sample.ok).map((sample) => sample.at);
  const { region, carrier, target } = model;
  const label: SeriesLabel = {
    type: 'series',
    target: target.name,
    region,
    carrier,
    ...span,
    periodSeconds: target.periodSeconds,
    samples: samples.length,
    tlsMs: Math.round(expectedTls(model, calmConditions(target)) * 1_000) / 1_000,
    rttMs: Math.round(model.rttMs * 1_000) / 1_000,
  };
  // What was over before a series was added is no event of it.
  const seen = events.filter((event) => event.end > span.from);
  return {
    label,
    samples,
    events: labelEvents({ model, warmUpEnd: span.warmUpEnd, to: span.to, events: seen, instants }),
  };
}

/** Gaps of minutes to hours between two instants, `perWeek` on average. */
function drawGaps(from: number, to: number, perWeek: number, random: Random): Gap[] {
  const count = random.poisson((perWeek * (to - from)) / 604_800);
  return Array.from({ length: count }, () => {
    const start = random.uniform(from, to);
    return { start, end: start + random.logUniform(300, 6 * 3_600) };
  });
}
