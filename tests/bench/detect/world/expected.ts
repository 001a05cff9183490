import type { Conditions, SeriesModel } from '#analysis/synthetic/series-model.ts';

/** Mean round trip under conditions, without noise and evening, ms. */
function expectedRtt(model: SeriesModel, conditions: Conditions): number {
  const pathFactor = model.paths.reduce((sum, path) => sum + path.share * path.rttFactor, 0);
  return model.rttMs * pathFactor * conditions.rttFactor + conditions.rttMs;
}

/** Mean TLS time under conditions, without noise, loss and evening, ms: round trips x RTT + work. */
export function expectedTls(model: SeriesModel, conditions: Conditions): number {
  const { target } = model;
  const resumed = conditions.resumedShare;
  const trips = resumed * target.resumedTrips + (1 - resumed) * target.fullTrips + conditions.roundTrips;
  const work = resumed * target.resumedWorkMs + (1 - resumed) * target.fullWorkMs;
  return trips * expectedRtt(model, conditions) + work + conditions.serverMs;
}
