import type { Dice } from './dice.ts';
import type { Effect, LineEvent } from './event.ts';
import { calmConditions, expectedTls, type LineModel } from './line.ts';
import { type Drawn, incidentName, type Occasion } from './occasion.ts';

const HOUR = 3_600;

/** A spike of minutes to three hours, at some evening or any time, +12% to +400%; null where the cause cannot act. */
export function drawSpike(occasion: Occasion): Drawn | null {
  const { dice, span, touched, lines, cause } = occasion;
  const models = touched.flatMap((index) => lines[index] ?? []);
  const period = Math.max(...models.map((line) => line.target.periodSeconds));
  const seconds = dice.logUniform(Math.max(180, 3.2 * period), 3 * HOUR);
  const start = Math.floor(drawStart(span.from + HOUR, span.to - seconds - HOUR, dice));
  const effectOn = spikeEffect(occasion, models);
  if (!effectOn) return null;
  const together = {
    kind: 'spike',
    cause,
    incident: incidentName('spike', occasion, start),
    shape: dice.pick(['box', 'box', 'ramp', 'triangle'] as const),
    rampSeconds: seconds * dice.uniform(0.05, 0.3),
    hitShare: dice.chance(0.15) ? dice.uniform(0.65, 0.95) : 1,
    maxSamples: Number.POSITIVE_INFINITY,
  } as const;
  return touched.flatMap((index) => {
    const line = lines[index];
    if (!line) return [];
    // Not all lines of a carrier notice in the same second.
    const late = touched.length > 1 ? Math.floor(dice.uniform(0, Math.min(120, seconds / 10))) : 0;
    const event: LineEvent = {
      ...together,
      start: start + late,
      end: start + Math.floor(seconds),
      effect: effectOn(line),
    };
    return [{ line: index, event }];
  });
}

/** One of four spikes is in the evening peak, where it is hardest to see. */
function drawStart(low: number, high: number, dice: Dice): number {
  const start = dice.uniform(low, high);
  if (!dice.chance(0.25)) return start;
  const day = Math.floor((start + 8 * HOUR) / (24 * HOUR)) * 24 * HOUR - 8 * HOUR;
  return Math.min(high, Math.max(low, day + dice.uniform(18.5, 23.5) * HOUR));
}

function spikeEffect({ cause, dice }: Occasion, models: readonly LineModel[]): ((line: LineModel) => Effect) | null {
  const tls = medianOf(models.map((line) => expectedTls(line, calmConditions(line.target))));
  const ratio = dice.chance(0.15) ? dice.uniform(0.12, 0.3) : dice.logUniform(0.32, 4);
  // Most are worth an alert also where handshakes take few milliseconds.
  const ms = dice.chance(0.85) ? Math.max(ratio * tls, dice.uniform(16, 40)) : ratio * tls;
  if (cause === 'server') return serverSpike(ms, dice);
  if (cause === 'tls') return tlsSpike(models, dice);
  const lossFactor = dice.chance(0.3) ? dice.uniform(1, 4) : 1;
  const spread = dice.chance(0.5) ? dice.uniform(1, 2.5) : 1;
  if (dice.chance(0.55)) {
    // A queue on the way: the same milliseconds in every round trip.
    return (line) => ({ rttMs: (ms / trips(line)) * dice.factor(0.15), lossFactor, spread });
  }
  // A longer way: every line's round trip in proportion.
  return () => ({ rttFactor: 1 + ratio * dice.factor(0.15), lossFactor, spread });
}

function serverSpike(ms: number, dice: Dice): (line: LineModel) => Effect {
  const firstByteMs = dice.chance(0.6) ? ms * dice.uniform(0.5, 2) : 0;
  return () => ({ serverMs: ms * dice.factor(0.05), firstByteMs });
}

/** More round trips for a while, or a session cache that is lost and fills again. */
function tlsSpike(models: readonly LineModel[], dice: Dice): ((line: LineModel) => Effect) | null {
  const target = models[0]?.target;
  if (!target) return null;
  if (target.resumedShare > 0.4 && target.fullTrips > target.resumedTrips && dice.chance(0.5)) {
    return () => ({ resumedShare: target.resumedShare * 0.05 });
  }
  const roundTrips = dice.chance(0.75) ? 1 : 2;
  return () => ({ roundTrips });
}

function trips(line: LineModel): number {
  const { resumedShare, resumedTrips, fullTrips } = line.target;
  return resumedShare * resumedTrips + (1 - resumedShare) * fullTrips;
}

export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
