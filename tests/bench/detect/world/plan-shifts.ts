import type { Effect } from '#analysis/synthetic/event.ts';
import { calmConditions, type SeriesModel } from '#analysis/synthetic/series-model.ts';
import { type DrawContext, type Drawn, incidentName, judgedCause } from './draw-context.ts';
import { expectedTls } from './expected.ts';
import { medianOf } from './plan-spikes.ts';
import type { Random } from './random.ts';

const HOUR = 3_600;

/** A level that changes and stays, one in four until it is rolled back; null where the cause cannot act in that direction. */
export function drawShift(context: DrawContext): Drawn | null {
  const { random, span, touched, models, cause } = context;
  const touchedModels = touched.flatMap((index) => models[index] ?? []);
  const start = Math.floor(random.uniform(span.from + 6 * HOUR, span.to - 4 * HOUR));
  const effectOn = shiftEffect(context, touchedModels);
  if (!effectOn) return null;
  const together = {
    kind: 'shift',
    incident: incidentName('shift', context, start),
    start,
    end: drawEnd(start, span.to, random),
    shape: 'ramp',
    rampSeconds: random.chance(0.85) ? 0 : random.uniform(120, 1_800),
    // One of several paths may be another now: a part of the connections takes it.
    hitShare: cause === 'network' && random.chance(0.1) ? random.uniform(0.55, 0.95) : 1,
    maxSamples: Number.POSITIVE_INFINITY,
  } as const;
  return touched.flatMap((index) => {
    const model = models[index];
    if (!model) return [];
    const effect = effectOn(model);
    return [{ index, event: { ...together, cause: judgedCause(cause, effect), effect } }];
  });
}

/** Rolled back after one to five days, seldom after hours; else it stays. */
function drawEnd(start: number, to: number, random: Random): number {
  const end = start + (random.chance(0.85) ? random.uniform(30, 120) : random.uniform(8, 30)) * HOUR;
  return random.chance(0.25) && end < to - 2 * HOUR ? Math.floor(end) : Number.POSITIVE_INFINITY;
}

function shiftEffect(
  { cause, random }: DrawContext,
  models: readonly SeriesModel[],
): ((model: SeriesModel) => Effect) | null {
  const up = random.chance(0.5);
  const ratio = up ? drawRise(random) : -drawFall(random);
  if (cause === 'server') return serverShift(ratio, models, random);
  if (cause === 'tls') return tlsShift(up, models, random);
  const spread = random.chance(0.3) ? random.logUniform(0.6, 1.7) : 1;
  if (up && random.chance(0.4)) {
    const rttMs = Math.max(1.5, ratio * medianOf(models.map((model) => model.rttMs)));
    return () => ({ rttMs: rttMs * random.factor(0.1), spread });
  }
  return () => ({ rttFactor: 1 + ratio * random.uniform(0.85, 1.15), spread });
}

/** Mostly 8 to 60%; one in ten is too small to be judged. */
function drawRise(random: Random): number {
  return random.chance(0.1) ? random.uniform(0.03, 0.08) : random.logUniform(0.085, random.chance(0.5) ? 0.25 : 0.65);
}

/** Improvements of about 20% are the commonest: one round trip or one header of many less. */
function drawFall(random: Random): number {
  return random.chance(0.45) ? random.uniform(0.16, 0.24) : random.logUniform(0.06, 0.45);
}

/** The same milliseconds everywhere: a longer key, a busier machine; less only where there is work to take away. */
function serverShift(
  ratio: number,
  models: readonly SeriesModel[],
  random: Random,
): ((model: SeriesModel) => Effect) | null {
  const tls = medianOf(models.map((model) => expectedTls(model, calmConditions(model.target))));
  const room = Math.min(...models.map((model) => model.target.fullWorkMs)) * 0.9;
  const ms = Math.max(ratio * tls, -room);
  if (ratio < 0 && -ms < 0.05 * tls) return null;
  const firstByteMs = random.chance(0.5) ? ms * random.uniform(0.4, 1.5) : 0;
  return () => ({ serverMs: ms > 0 && random.chance(0.8) ? Math.max(ms, 3.5) : ms, firstByteMs });
}

/** A round trip more or less in all handshakes or in a share of them, or another share of resumed handshakes. */
function tlsShift(
  up: boolean,
  models: readonly SeriesModel[],
  random: Random,
): ((model: SeriesModel) => Effect) | null {
  const target = models[0]?.target;
  if (!target) return null;
  const { resumedShare, resumedTrips, fullTrips } = target;
  if (fullTrips > resumedTrips && random.chance(resumedShare > 0 ? 0.7 : 0.2)) {
    const share = up
      ? resumedShare * random.uniform(0, 0.7)
      : resumedShare + (1 - resumedShare) * random.uniform(0.4, 0.95);
    return Math.abs(share - resumedShare) < 0.1 ? null : () => ({ resumedShare: share });
  }
  if (!up && Math.min(resumedTrips, fullTrips) < 2) return null;
  const part = random.chance(0.8) ? 1 : random.uniform(0.4, 0.9);
  return () => ({ roundTrips: up ? part : -part });
}
