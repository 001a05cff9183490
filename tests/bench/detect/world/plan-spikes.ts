import type { Effect, SeriesEvent } from '#analysis/synthetic/event.ts';
import { calmConditions, type SeriesModel } from '#analysis/synthetic/series-model.ts';
import { type DrawContext, type Drawn, incidentName, judgedCause } from './draw-context.ts';
import { expectedTls } from './expected.ts';
import type { Random } from './random.ts';

const HOUR = 3_600;

/** A spike of minutes to three hours, at some evening or any time, +12% to +400%; null where the cause cannot act. */
export function drawSpike(context: DrawContext): Drawn | null {
  const { random, span, touched, models, cause } = context;
  const touchedModels = touched.flatMap((index) => models[index] ?? []);
  const period = Math.max(...touchedModels.map((model) => model.target.periodSeconds));
  const seconds = random.logUniform(Math.max(180, 3.2 * period), 3 * HOUR);
  const start = Math.floor(drawStart(span.from + HOUR, span.to - seconds - HOUR, random));
  const effectOn = spikeEffect(context, touchedModels);
  if (!effectOn) return null;
  const together = {
    kind: 'spike',
    incident: incidentName('spike', context, start),
    shape: random.pick(['box', 'box', 'ramp', 'triangle'] as const),
    rampSeconds: seconds * random.uniform(0.05, 0.3),
    hitShare: random.chance(0.15) ? random.uniform(0.65, 0.95) : 1,
    maxSamples: Number.POSITIVE_INFINITY,
  } as const;
  return touched.flatMap((index) => {
    const model = models[index];
    if (!model) return [];
    // Not all series of a carrier notice in the same second.
    const late = touched.length > 1 ? Math.floor(random.uniform(0, Math.min(120, seconds / 10))) : 0;
    const effect = effectOn(model);
    const event: SeriesEvent = {
      ...together,
      cause: judgedCause(cause, effect),
      start: start + late,
      end: start + Math.floor(seconds),
      effect,
    };
    return [{ index, event }];
  });
}

/** One of four spikes is in the evening peak, where it is hardest to see. */
function drawStart(low: number, high: number, random: Random): number {
  const start = random.uniform(low, high);
  if (!random.chance(0.25)) return start;
  const day = Math.floor((start + 8 * HOUR) / (24 * HOUR)) * 24 * HOUR - 8 * HOUR;
  return Math.min(high, Math.max(low, day + random.uniform(18.5, 23.5) * HOUR));
}

function spikeEffect(
  { cause, random }: DrawContext,
  models: readonly SeriesModel[],
): ((model: SeriesModel) => Effect) | null {
  const tls = medianOf(models.map((model) => expectedTls(model, calmConditions(model.target))));
  const ratio = random.chance(0.15) ? random.uniform(0.12, 0.3) : random.logUniform(0.32, 4);
  // Most are worth an alert also where handshakes take few milliseconds.
  const ms = random.chance(0.85) ? Math.max(ratio * tls, random.uniform(16, 40)) : ratio * tls;
  if (cause === 'server') return serverSpike(ms, random);
  if (cause === 'tls') return tlsSpike(models, random);
  const lossFactor = random.chance(0.3) ? random.uniform(1, 4) : 1;
  const spread = random.chance(0.5) ? random.uniform(1, 2.5) : 1;
  if (random.chance(0.55)) {
    // A queue on the way: the same milliseconds in every round trip.
    return (model) => ({ rttMs: (ms / trips(model)) * random.factor(0.15), lossFactor, spread });
  }
  // A longer way: every series' round trip in proportion.
  return () => ({ rttFactor: 1 + ratio * random.factor(0.15), lossFactor, spread });
}

function serverSpike(ms: number, random: Random): (model: SeriesModel) => Effect {
  const firstByteMs = random.chance(0.6) ? ms * random.uniform(0.5, 2) : 0;
  return () => ({ serverMs: ms * random.factor(0.05), firstByteMs });
}

/** More round trips for a while, or a session cache that is lost and fills again. */
function tlsSpike(models: readonly SeriesModel[], random: Random): ((model: SeriesModel) => Effect) | null {
  const target = models[0]?.target;
  if (!target) return null;
  if (target.resumedShare > 0.4 && target.fullTrips > target.resumedTrips && random.chance(0.5)) {
    return () => ({ resumedShare: target.resumedShare * 0.05 });
  }
  const roundTrips = random.chance(0.75) ? 1 : 2;
  return () => ({ roundTrips });
}

function trips(model: SeriesModel): number {
  const { resumedShare, resumedTrips, fullTrips } = model.target;
  return resumedShare * resumedTrips + (1 - resumedShare) * fullTrips;
}

export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
