import { drainRollups } from '#server/rollups/rollups.ts';
import { insertProber, insertTarget } from './places.ts';
import { insertResults, makeResult } from './results.ts';
import { makeVantage } from './vantages.ts';

/** A target that Beijing Telecom and Guangdong Mobile probed at these instants (ms), and its rollups. `tlsOf`: ms, of the first place and the second. */
export async function storeTwoPlaces(instants: readonly number[], tlsOf: (startedAt: number, place: number) => number) {
  const targetId = await insertTarget();
  const places = [makeVantage('CN-BJ', 'telecom'), makeVantage('CN-GD', 'mobile')];
  await insertProber(places);
  const results = places.flatMap((vantage, place) =>
    instants.map((startedAt) => makeResult({ targetId, vantage, startedAt, tls: tlsOf(startedAt, place) })),
  );
  await insertResults(results);
  await drainRollups({ settled: true });
  return { id: targetId, demo: false };
}
