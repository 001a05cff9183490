import { type Climate, drawClimate, type Style, within } from './climate.ts';
import { Dice } from './dice.ts';
import { drawLines } from './draw-lines.ts';
import type { LineEvent } from './event.ts';
import { drawGaps, type Gap, probeInstants } from './instants.ts';
import { type EventLabel, labelEvents, type SeriesLabel } from './labels.ts';
import { calmConditions, expectedTls, type LineModel } from './line.ts';
import { planEvents } from './plan.ts';
import { drawSamples, type SyntheticSample } from './samples.ts';
import type { Span } from './span.ts';

const DAY = 86_400;
/** 2026-01-05 00:00 UTC, a Monday; worlds begin up to a year later, at any time of the week. */
const EPOCH = 1_767_571_200;

/** One line of a world with what happens on it; samples are drawn from it by `drawSeries`. */
export type WorldLine = { line: LineModel; span: Span; events: LineEvent[]; gaps: Gap[] };
export type World = { style: Style; seed: number; lines: WorldLine[] };
export type Series = { label: SeriesLabel; samples: SyntheticSample[]; events: EventLabel[] };

/**
 * A world of `count` series, all of it decided by seed and style: what tests and benches run the detector on.
 * @internal
 */
export function drawWorld(style: Style, seed: number, count: number): World {
  const dice = new Dice(seed).fork(style);
  const climate = drawClimate(style, dice.fork('climate'));
  const span = drawSpan(climate, dice.fork('span'));
  const models = drawLines(climate, count, dice.fork('lines'));
  const events = planEvents(climate, models, span, dice.fork('plan'));
  const gaps = vantageGaps(climate, models, span, dice.fork('gaps'));
  const lines = models.map((line, index) => ({
    line,
    span: ownSpan(span, dice.fork(`span ${index}`)),
    events: events[index] ?? [],
    gaps: gaps.get(`${line.province}/${line.carrier}`) ?? [],
  }));
  return { style, seed, lines };
}

/** Half of all histories are short, and few days are for learning then. */
function drawSpan(climate: Climate, dice: Dice): Span {
  const days = within(climate.days, dice);
  const from = EPOCH + dice.integer(0, 365 * DAY);
  const warmUp = Math.min(dice.uniform(...climate.warmUpDays), Math.max(1, days - 2));
  return { from, warmUpEnd: Math.floor(from + warmUp * DAY), to: Math.floor(from + days * DAY) };
}

/** One line in twelve was added later, where there is time enough to learn it anew. */
function ownSpan(span: Span, dice: Dice): Span {
  const late = dice.uniform(0.1, 0.5) * (span.to - span.from);
  const warmUpEnd = span.warmUpEnd + late;
  if (!dice.chance(1 / 12) || span.to - warmUpEnd < 2 * DAY) return span;
  return { from: Math.floor(span.from + late), warmUpEnd: Math.floor(warmUpEnd), to: span.to };
}

function vantageGaps(climate: Climate, lines: readonly LineModel[], span: Span, dice: Dice): Map<string, Gap[]> {
  const gaps = new Map<string, Gap[]>();
  for (const line of lines) {
    const vantage = `${line.province}/${line.carrier}`;
    if (!gaps.has(vantage)) gaps.set(vantage, drawGaps(span.from, span.to, within(climate.gaps, dice), dice));
  }
  return gaps;
}

/** The samples of a line in time order, and the labels of what happened. */
export function drawSeries({ line, span, events, gaps }: WorldLine, seed: number): Series {
  const dice = new Dice(seed).fork(`${line.target.name}/${line.province}/${line.carrier}`);
  const { periodSeconds } = line.target;
  const pace = { from: span.from, to: span.to, periodSeconds, jitter: line.periodJitter, missing: line.missing };
  const samples = [...drawSamples(line, probeInstants(pace, gaps, dice.fork('instants')), events, dice)];
  const instants = samples.filter((sample) => sample.ok).map((sample) => sample.at);
  const { province, carrier } = line;
  const label: SeriesLabel = {
    type: 'series',
    target: line.target.name,
    province,
    carrier,
    ...span,
    periodSeconds,
    samples: samples.length,
    tlsMs: Math.round(expectedTls(line, calmConditions(line.target)) * 1_000) / 1_000,
    rttMs: Math.round(line.rttMs * 1_000) / 1_000,
  };
  // What was over before a line was added is no event of it.
  const seen = events.filter((event) => event.end > span.from);
  return {
    label,
    samples,
    events: labelEvents({ line, warmUpEnd: span.warmUpEnd, to: span.to, events: seen, instants }),
  };
}
