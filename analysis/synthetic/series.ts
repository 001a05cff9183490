import { drawSamples, type SyntheticSample } from './draw-samples.ts';
import type { SeriesEvent } from './event.ts';
import { type Gap, probeInstants } from './instants.ts';
import { Random } from './random.ts';
import type { SeriesModel } from './series-model.ts';

/** A series as it is planned: what happens on it from the first to after the last instant (epoch seconds). */
export type PlannedSeries = {
  model: SeriesModel;
  span: { from: number; to: number };
  events: readonly SeriesEvent[];
  gaps: readonly Gap[];
};

/** The samples of a series in time order: the same at every call with the same seed. */
export function samplesOf({ model, span: { from, to }, events, gaps }: PlannedSeries, seed: number): SyntheticSample[] {
  const random = new Random(seed).fork(`${model.target.name}/${model.region}/${model.carrier}`);
  const { periodSeconds } = model.target;
  const pace = { from, to, periodSeconds, jitter: model.periodJitter, missing: model.missing };
  return [...drawSamples(model, probeInstants(pace, gaps, random.fork('instants')), events, random)];
}
