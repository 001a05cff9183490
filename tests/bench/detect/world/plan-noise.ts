import type { Effect, NoiseKind, SeriesEvent } from '#analysis/synthetic/event.ts';
import type { SeriesModel } from '#analysis/synthetic/series-model.ts';
import type { Span } from './draw-context.ts';
import type { Random } from './random.ts';

const HOUR = 3_600;
const DAY = 86_400;

/** What must not be alerted on, or is not judged: happenings per series and week. */
export const NOISE_RATES: readonly { kind: NoiseKind; perWeek: number }[] = [
  { kind: 'odd', perWeek: 1.5 },
  { kind: 'variance', perWeek: 0.15 },
  { kind: 'dns', perWeek: 0.2 },
  { kind: 'first-byte', perWeek: 0.25 },
  { kind: 'drift', perWeek: 0.06 },
  { kind: 'failures', perWeek: 0.1 },
];

export function drawNoise(kind: NoiseKind, model: SeriesModel, span: Span, random: Random): SeriesEvent {
  const start = Math.floor(random.uniform(span.from, span.to));
  const incident = `${kind}-${model.target.name}-${model.region}-${model.carrier}-${start}`;
  return {
    kind,
    cause: null,
    incident,
    start,
    shape: 'box',
    rampSeconds: 0,
    hitShare: 1,
    maxSamples: Number.POSITIVE_INFINITY,
    ...drawCourse(kind, model, start, random),
  };
}

type Course = { end: number; effect: Effect } & Partial<
  Pick<SeriesEvent, 'shape' | 'rampSeconds' | 'maxSamples' | 'hitShare'>
>;

function drawCourse(kind: NoiseKind, model: SeriesModel, start: number, random: Random): Course {
  switch (kind) {
    case 'odd':
      return drawOdd(model, start, random);
    case 'variance':
      return { end: stays(start, 0.4, 2, 72, random), effect: { spread: random.uniform(1.6, 3.5) } };
    case 'dns':
      return { end: stays(start, 0.4, 0.2, 24, random), effect: { dnsFactor: random.logUniform(2, 15) } };
    case 'first-byte':
      return { end: stays(start, 0.4, 0.2, 24, random), effect: { firstByteMs: random.logUniform(15, 400) } };
    case 'drift': {
      const rampSeconds = random.uniform(1.5, 6) * DAY;
      const rttFactor = random.chance(0.7) ? 1 + random.uniform(0.08, 0.4) : 1 - random.uniform(0.08, 0.25);
      return { end: Number.POSITIVE_INFINITY, shape: 'slope', rampSeconds, effect: { rttFactor } };
    }
    case 'failures':
      return {
        end: start + random.logUniform(2, 40) * model.target.periodSeconds,
        effect: { failing: random.uniform(0.5, 1) },
      };
  }
}

/** One or two samples, +30% to +600%, seldom of work instead of the way. */
function drawOdd(model: SeriesModel, start: number, random: Random): Course {
  const maxSamples = random.integer(1, 2);
  const size = random.logUniform(0.3, 6);
  const effect = random.chance(0.6) ? { rttFactor: 1 + size } : { serverMs: size * (model.rttMs + 10) };
  return { end: start + 2.6 * model.target.periodSeconds, maxSamples, effect };
}

function stays(start: number, forever: number, lowHours: number, highHours: number, random: Random): number {
  return random.chance(forever) ? Number.POSITIVE_INFINITY : start + random.logUniform(lowHours, highHours) * HOUR;
}
