import type { Effect, SeriesEvent } from '#analysis/synthetic/event.ts';
import { Random } from '#analysis/synthetic/random.ts';
import { calmConditions, type SeriesModel } from '#analysis/synthetic/series-model.ts';
import { type Detection, seriesKey } from './detection.ts';
import { judgedCause } from './world/draw-context.ts';
import { drawModels } from './world/draw-models.ts';
import { expectedTls } from './world/expected.ts';
import { drawRanges, type Style } from './world/ranges.ts';
import type { WorldSeries } from './world/world.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;
/** 2026-01-05 00:00 UTC, a Monday. */
const EPOCH = 1_767_571_200;
const REGIONS = 31;
const CARRIERS = 3;
const SIZES = [0.03, 0.05];
const APART = 22 * HOUR;
/** A step is found where half of its series are raised within so long. */
const FOUND_WITHIN = 2 * HOUR;
const SHIFT_WINDOW = 24 * HOUR;

/** A small step of a target, or of a carrier, on all of its series. */
type Step = { kind: 'regression' | 'improvement'; start: number; size: number; series: Set<string> };
type CommonWorld = { style: Style; warmUpEnd: number; series: WorldSeries[]; steps: Step[] };

/**
 * A world to judge small changes in common on: one or three targets at 93 vantages, whose targets (and where there are three, whose
 * carriers) step by 3% or 5% every day or two; in every third world nothing steps. All of it decided by the seed.
 */
export function drawCommonWorld(seed: number): CommonWorld {
  const random = new Random(seed).fork('common');
  const style = random.pick(['calm', 'lossy', 'wandering', 'two-mode', 'bursty', 'near'] as const);
  const period = random.pick([60, 120, 300]);
  const ranges = { ...drawRanges(style, random.fork('climate')), periodSeconds: [period, period] as const };
  const targets = seed % 2 === 0 ? 1 : 3;
  const models = drawModels(ranges, targets * REGIONS * CARRIERS, random.fork('lines'), {
    targets,
    regions: REGIONS,
    carriers: CARRIERS,
  });
  const from = EPOCH + random.integer(0, 365 * DAY);
  const span = { from, warmUpEnd: from + 3 * DAY, to: from + 7 * DAY };
  const events: SeriesEvent[][] = models.map(() => []);
  const steps: Step[] = [];
  let start = span.warmUpEnd + random.uniform(1, 8) * HOUR;
  for (; seed % 3 !== 0 && start < span.to - 6 * HOUR; start += APART + random.uniform(0, 12) * HOUR) {
    const at = Math.floor(start);
    const size = random.pick(SIZES) * (random.chance(0.6) ? 1 : -1);
    const ofCarrier = targets > 1 && random.chance(0.3);
    const name = random.pick([...new Set(models.map((model) => nameOf(model, ofCarrier)))]);
    const step: Step = { kind: size > 0 ? 'regression' : 'improvement', start: at, size, series: new Set() };
    models.forEach((model, index) => {
      if (nameOf(model, ofCarrier) !== name) return;
      step.series.add(keyOf(model));
      const effect = effectOn(model, size, ofCarrier);
      events[index]?.push({
        kind: 'shift',
        cause: judgedCause(effect.serverMs === undefined ? 'network' : 'server', effect),
        incident: `step-${at}`,
        start: at,
        end: Number.POSITIVE_INFINITY,
        shape: 'box',
        rampSeconds: 0,
        hitShare: 1,
        maxSamples: Number.POSITIVE_INFINITY,
        effect,
      });
    });
    steps.push(step);
  }
  const series = models.map((model, index) => ({ model, span, events: events[index] ?? [], gaps: [] }));
  return { style, warmUpEnd: span.warmUpEnd, series, steps };
}

const nameOf = (model: SeriesModel, ofCarrier: boolean) => (ofCarrier ? model.carrier : model.target.name);
const keyOf = (model: SeriesModel) =>
  seriesKey({ target: model.target.name, region: model.region, carrier: model.carrier });

/** Moves the mean TLS time of a series by `size`: by work, or by the round trip where it is a carrier's or falls. */
function effectOn(model: SeriesModel, size: number, ofCarrier: boolean): Effect {
  const conditions = calmConditions(model.target);
  const tls = expectedTls(model, conditions);
  if (!ofCarrier && size > 0) return { serverMs: size * tls };
  const ofPath = tls - expectedTls(model, { ...conditions, rttFactor: 0 });
  return { rttFactor: 1 + (size * tls) / ofPath };
}

/** What was found of a world's steps, and how many lasting changes were raised for one and for none. */
type CommonCounts = {
  steps: number;
  found: number;
  later: number;
  right: number;
  wrong: number;
};

export function countCommon({ steps, warmUpEnd }: CommonWorld, detections: readonly Detection[]): CommonCounts {
  const counts: CommonCounts = { steps: steps.length, found: 0, later: 0, right: 0, wrong: 0 };
  const lasting = detections.filter(({ kind, at }) => kind !== 'spike' && at >= warmUpEnd);
  const raised = new Map<Step, number[]>(steps.map((step) => [step, []]));
  for (const detection of lasting) {
    const step = steps.find(
      ({ kind, start, series }) =>
        kind === detection.kind &&
        series.has(seriesKey(detection)) &&
        detection.at >= start &&
        detection.at <= start + SHIFT_WINDOW,
    );
    if (step) counts.right += 1;
    else counts.wrong += 1;
    if (step) raised.get(step)?.push(detection.at - step.start);
  }
  for (const [step, delays] of raised) {
    if (2 * delays.length < step.series.size) continue;
    const half = delays.sort((a, b) => a - b)[Math.ceil(step.series.size / 2) - 1] as number;
    if (half <= FOUND_WITHIN) counts.found += 1;
    else counts.later += 1;
  }
  return counts;
}
