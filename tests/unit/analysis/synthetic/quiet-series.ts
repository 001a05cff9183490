import { drawSamples, type SyntheticSample } from '#analysis/synthetic/draw-samples.ts';
import type { SeriesEvent } from '#analysis/synthetic/event.ts';
import { Random } from '#analysis/synthetic/random.ts';
import type { SeriesModel, TargetModel } from '#analysis/synthetic/series-model.ts';

export const quietTarget = (more: Partial<TargetModel> = {}): TargetModel => ({
  name: 't1.example',
  fullTrips: 2,
  resumedTrips: 1,
  resumedShare: 0,
  fullWorkMs: 5,
  resumedWorkMs: 1,
  workSpread: 0.01,
  firstByteMs: 10,
  firstByteSpread: 0.01,
  periodSeconds: 60,
  load: 0,
  loadSeconds: 600,
  loadSeed: 1,
  echo: false,
  ...more,
});

/** A series of 30 ms without any noise but 0.1% of jitter, so that what acts on it can be read off. */
export const quietSeries = (more: Partial<SeriesModel> = {}): SeriesModel => ({
  target: quietTarget(),
  region: 'Hubei',
  carrier: 'unicom',
  rttMs: 30,
  paths: [{ share: 1, rttFactor: 1 }],
  jitter: 0.001,
  queueMs: 0,
  correlatedNoise: 0,
  correlatedSeconds: 600,
  correlatedShared: 0,
  sharedSeconds: 600,
  wander: 0,
  wanderSeconds: 86_400,
  tail: 0,
  loss: 0,
  loss1s: 0,
  loss3s: 0,
  failure: 0,
  dnsMs: 5,
  dailyPeak: { weekday: 0, weekend: 0, hour: 21, widthHours: 3 },
  dailyPeakVariety: 0,
  carrierSeed: 1,
  stepMs: 0.001,
  periodJitter: 0,
  missing: 0,
  ...more,
});

export const quietEvent = (more: Partial<SeriesEvent>): SeriesEvent => ({
  kind: 'shift',
  cause: 'network',
  incident: 'one',
  start: 0,
  end: Number.POSITIVE_INFINITY,
  shape: 'box',
  rampSeconds: 0,
  hitShare: 1,
  maxSamples: Number.POSITIVE_INFINITY,
  effect: {},
  ...more,
});

/** A probe a minute from `from` on, epoch seconds. */
export function probe(model: SeriesModel, events: readonly SeriesEvent[], count: number, from = 0): SyntheticSample[] {
  const instants = Array.from({ length: count }, (_, index) => from + index * 60);
  return [...drawSamples(model, instants, events, new Random(5))];
}

/** Mean of a column over the successful samples from `from` up to, but not including, `to`. */
export function meanOf(
  samples: readonly SyntheticSample[],
  column: 'tcpMs' | 'tlsMs' | 'firstByteMs',
  from = 0,
  to = Number.POSITIVE_INFINITY,
): number {
  const values = samples.flatMap((sample) => (sample.ok && sample.at >= from && sample.at < to ? sample[column] : []));
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
