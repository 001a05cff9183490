import type { Dice } from './dice.ts';
import type { Effect, LineEvent, NoiseKind } from './event.ts';
import type { LineModel } from './line.ts';
import type { Span } from './span.ts';

const HOUR = 3_600;
const DAY = 86_400;

/** What must not be alerted on, or is not judged: happenings per line and week. */
export const NOISE_RATES: readonly { kind: NoiseKind; perWeek: number }[] = [
  { kind: 'odd', perWeek: 1.5 },
  { kind: 'variance', perWeek: 0.15 },
  { kind: 'dns', perWeek: 0.2 },
  { kind: 'first-byte', perWeek: 0.25 },
  { kind: 'drift', perWeek: 0.06 },
  { kind: 'failures', perWeek: 0.1 },
];

export function drawNoise(kind: NoiseKind, line: LineModel, span: Span, dice: Dice): LineEvent {
  const start = Math.floor(dice.uniform(span.from, span.to));
  const incident = `${kind}-${line.target.name}-${line.province}-${line.carrier}-${start}`;
  return {
    kind,
    cause: null,
    incident,
    start,
    shape: 'box',
    rampSeconds: 0,
    hitShare: 1,
    maxSamples: Number.POSITIVE_INFINITY,
    ...drawCourse(kind, line, start, dice),
  };
}

type Course = { end: number; effect: Effect } & Partial<
  Pick<LineEvent, 'shape' | 'rampSeconds' | 'maxSamples' | 'hitShare'>
>;

function drawCourse(kind: NoiseKind, line: LineModel, start: number, dice: Dice): Course {
  switch (kind) {
    case 'odd':
      return drawOdd(line, start, dice);
    case 'variance':
      return { end: stays(start, 0.4, 2, 72, dice), effect: { spread: dice.uniform(1.6, 3.5) } };
    case 'dns':
      return { end: stays(start, 0.4, 0.2, 24, dice), effect: { dnsFactor: dice.logUniform(2, 15) } };
    case 'first-byte':
      return { end: stays(start, 0.4, 0.2, 24, dice), effect: { firstByteMs: dice.logUniform(15, 400) } };
    case 'drift': {
      const rampSeconds = dice.uniform(1.5, 6) * DAY;
      const rttFactor = dice.chance(0.7) ? 1 + dice.uniform(0.08, 0.4) : 1 - dice.uniform(0.08, 0.25);
      return { end: Number.POSITIVE_INFINITY, shape: 'slope', rampSeconds, effect: { rttFactor } };
    }
    case 'failures':
      return {
        end: start + dice.logUniform(2, 40) * line.target.periodSeconds,
        effect: { failing: dice.uniform(0.5, 1) },
      };
  }
}

/** One or two samples, +30% to +600%, seldom of work instead of the way. */
function drawOdd(line: LineModel, start: number, dice: Dice): Course {
  const maxSamples = dice.integer(1, 2);
  const size = dice.logUniform(0.3, 6);
  const effect = dice.chance(0.6) ? { rttFactor: 1 + size } : { serverMs: size * (line.rttMs + 10) };
  return { end: start + 2.6 * line.target.periodSeconds, maxSamples, effect };
}

function stays(start: number, forever: number, lowHours: number, highHours: number, dice: Dice): number {
  return dice.chance(forever) ? Number.POSITIVE_INFINITY : start + dice.logUniform(lowHours, highHours) * HOUR;
}
