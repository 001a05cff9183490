import type { Effect, SeriesEvent } from '#analysis/synthetic/event.ts';
import type { SeriesModel } from '#analysis/synthetic/series-model.ts';
import { drawModels } from './world/draw-models.ts';
import { Random } from './world/random.ts';
import { drawRanges } from './world/ranges.ts';
import type { WorldSeries } from './world/world.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;
/** 2026-01-05 00:00 UTC, a Monday. */
const EPOCH = 1_767_571_200;
/** China's 19:00 in UTC, and how long an evening is. */
const EVENING = 11 * HOUR;
const EVENING_LENGTH = 4 * HOUR;
const SERIES = 16;
/** Shares of full handshakes that a target may have, and the least step between two of them. */
const SHARES = [0.05, 0.8] as const;
const LEAST_STEP = 0.1;

/**
 * A world to judge lasting changes of shares on: targets that resume a part of their handshakes, each at one vantage alone. The share
 * of full ones steps every two or three days; bursts of them come for minutes, on a third of the targets every evening has more, and
 * on a third the level steps or drifts as well. All of it decided by the seed.
 */
export function drawShareWorld(seed: number): WorldSeries[] {
  const random = new Random(seed).fork('shares');
  const style = random.pick(['calm', 'lossy', 'wandering', 'two-mode', 'bursty', 'near'] as const);
  const ranges = { ...drawRanges(style, random.fork('climate')), resuming: 1 };
  const drawn = drawModels(ranges, SERIES, random.fork('lines'), { targets: SERIES });
  const from = EPOCH + random.integer(0, 365 * DAY);
  const span = { from, warmUpEnd: from + 3 * DAY, to: from + 14 * DAY };
  return drawn.map((model, index) => {
    const own = random.fork(`series ${index}`);
    const mixed = mixedModel(model, own);
    return { model: mixed, span, events: drawShares(mixed, span, own), gaps: [] };
  });
}

/** With full handshakes of one round trip more, or two, and a period at which a share can be seen. */
function mixedModel(model: SeriesModel, random: Random): SeriesModel {
  const resumedTrips = random.pick([1, 1, 2]);
  const fullTrips = resumedTrips + 1;
  const target = {
    ...model.target,
    resumedTrips,
    fullTrips,
    resumedShare: 1 - random.uniform(...SHARES),
    periodSeconds: random.pick([60, 120, 300]),
  };
  return { ...model, target };
}

function drawShares(model: SeriesModel, span: WorldSeries['span'], random: Random): SeriesEvent[] {
  const events: SeriesEvent[] = [];
  const add = (kind: SeriesEvent['kind'], start: number, end: number, effect: Effect, rampSeconds = 0) => {
    const cause = kind === 'shift' ? (effect.resumedShare === undefined ? 'network' : 'tls') : null;
    const at = Math.floor(start);
    const shape = kind === 'drift' ? 'slope' : 'box';
    const incident = `${kind}-${model.target.name}-${at}`;
    events.push({
      kind,
      cause,
      incident,
      start: at,
      end,
      shape,
      rampSeconds,
      hitShare: 1,
      maxSamples: Infinity,
      effect,
    });
  };
  const steps = [{ at: span.from, full: 1 - model.target.resumedShare }];
  const level = random.pick(['steps', 'drifts', 'stays', 'stays', 'stays', 'stays'] as const);
  let start = span.warmUpEnd + random.uniform(2, 30) * HOUR;
  for (; start < span.to - DAY; start += random.uniform(44, 80) * HOUR) {
    if (level === 'steps' && random.chance(0.5)) {
      add('shift', start, Infinity, { rttFactor: random.chance(0.5) ? 1.2 : 0.82 });
      continue;
    }
    const before = (steps.at(-1) as { full: number }).full;
    const full = random.uniform(...SHARES);
    if (Math.abs(full - before) < LEAST_STEP) continue;
    steps.push({ at: start, full });
    add('shift', start, Infinity, { resumedShare: 1 - full });
  }
  if (level === 'drifts') add('drift', span.warmUpEnd, Infinity, { rttFactor: 1.25 }, 4 * DAY);
  const fullAt = (at: number) => (steps.findLast((step) => step.at <= at) ?? (steps[0] as { full: number })).full;
  const evenings = random.chance(0.33) ? random.uniform(1.2, 1.8) : 1;
  for (let day = Math.floor(span.from / DAY) * DAY; evenings > 1 && day < span.to; day += DAY) {
    const at = Math.max(span.from, day + EVENING + random.uniform(-0.5, 0.5) * HOUR);
    const factor = evenings * random.uniform(0.9, 1.1);
    add('variance', at, at + EVENING_LENGTH, { resumedShare: 1 - Math.min(0.95, factor * fullAt(at)) });
  }
  const bursts = random.poisson((random.uniform(0.3, 2) * (span.to - span.from)) / DAY);
  for (let count = 0; count < bursts; count++) {
    const at = random.uniform(span.from, span.to);
    add('variance', at, at + random.logUniform(4, 90) * 60, { resumedShare: random.uniform(0, 0.3) });
  }
  return events.sort((a, b) => a.start - b.start);
}
