import type { Dice } from './dice.ts';
import type { Effect, LineEvent } from './event.ts';
import { calmConditions, expectedTls, type LineModel } from './line.ts';
import { type Drawn, incidentName, type Occasion } from './occasion.ts';
import { medianOf } from './plan-spikes.ts';

const HOUR = 3_600;

/** A level that changes and stays, one in four until it is rolled back; null where the cause cannot act in that direction. */
export function drawShift(occasion: Occasion): Drawn | null {
  const { dice, span, touched, lines, cause } = occasion;
  const models = touched.flatMap((index) => lines[index] ?? []);
  const start = Math.floor(dice.uniform(span.from + 6 * HOUR, span.to - 4 * HOUR));
  const effectOn = shiftEffect(occasion, models);
  if (!effectOn) return null;
  const together = {
    kind: 'shift',
    cause,
    incident: incidentName('shift', occasion, start),
    start,
    end: drawEnd(start, span.to, dice),
    shape: 'ramp',
    rampSeconds: dice.chance(0.85) ? 0 : dice.uniform(120, 1_800),
    // One of several paths may be another now: a part of the connections takes it.
    hitShare: cause === 'network' && dice.chance(0.1) ? dice.uniform(0.55, 0.95) : 1,
    maxSamples: Number.POSITIVE_INFINITY,
  } as const;
  return touched.flatMap((index) => {
    const line = lines[index];
    const event: LineEvent | undefined = line && { ...together, effect: effectOn(line) };
    return event ? [{ line: index, event }] : [];
  });
}

/** Rolled back after one to five days, seldom after hours; else it stays. */
function drawEnd(start: number, to: number, dice: Dice): number {
  const end = start + (dice.chance(0.85) ? dice.uniform(30, 120) : dice.uniform(8, 30)) * HOUR;
  return dice.chance(0.25) && end < to - 2 * HOUR ? Math.floor(end) : Number.POSITIVE_INFINITY;
}

function shiftEffect({ cause, dice }: Occasion, models: readonly LineModel[]): ((line: LineModel) => Effect) | null {
  const up = dice.chance(0.5);
  const ratio = up ? drawRise(dice) : -drawFall(dice);
  if (cause === 'server') return serverShift(ratio, models, dice);
  if (cause === 'tls') return tlsShift(up, models, dice);
  const spread = dice.chance(0.3) ? dice.logUniform(0.6, 1.7) : 1;
  if (up && dice.chance(0.4)) {
    const rttMs = Math.max(1.5, ratio * medianOf(models.map((line) => line.rttMs)));
    return () => ({ rttMs: rttMs * dice.factor(0.1), spread });
  }
  return () => ({ rttFactor: 1 + ratio * dice.uniform(0.85, 1.15), spread });
}

/** Mostly 8 to 60%; one in ten is too small to be judged. */
function drawRise(dice: Dice): number {
  return dice.chance(0.1) ? dice.uniform(0.03, 0.08) : dice.logUniform(0.085, dice.chance(0.5) ? 0.25 : 0.65);
}

/** Improvements of about 20% are the commonest: one round trip or one header of many less. */
function drawFall(dice: Dice): number {
  return dice.chance(0.45) ? dice.uniform(0.16, 0.24) : dice.logUniform(0.06, 0.45);
}

/** The same milliseconds everywhere: a longer key, a busier machine; less only where there is work to take away. */
function serverShift(ratio: number, models: readonly LineModel[], dice: Dice): ((line: LineModel) => Effect) | null {
  const tls = medianOf(models.map((line) => expectedTls(line, calmConditions(line.target))));
  const room = Math.min(...models.map((line) => line.target.fullWorkMs)) * 0.9;
  const ms = Math.max(ratio * tls, -room);
  if (ratio < 0 && -ms < 0.05 * tls) return null;
  const firstByteMs = dice.chance(0.5) ? ms * dice.uniform(0.4, 1.5) : 0;
  return () => ({ serverMs: ms > 0 && dice.chance(0.8) ? Math.max(ms, 3.5) : ms, firstByteMs });
}

/** A round trip more or less in all handshakes or in a share of them, or another share of resumed handshakes. */
function tlsShift(up: boolean, models: readonly LineModel[], dice: Dice): ((line: LineModel) => Effect) | null {
  const target = models[0]?.target;
  if (!target) return null;
  const { resumedShare, resumedTrips, fullTrips } = target;
  if (fullTrips > resumedTrips && dice.chance(resumedShare > 0 ? 0.7 : 0.2)) {
    const share = up
      ? resumedShare * dice.uniform(0, 0.7)
      : resumedShare + (1 - resumedShare) * dice.uniform(0.4, 0.95);
    return Math.abs(share - resumedShare) < 0.1 ? null : () => ({ resumedShare: share });
  }
  if (!up && Math.min(resumedTrips, fullTrips) < 2) return null;
  const part = dice.chance(0.8) ? 1 : dice.uniform(0.4, 0.9);
  return () => ({ roundTrips: up ? part : -part });
}
