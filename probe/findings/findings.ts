/**
 * Findings: what one Result shows to be wasteful or wrong, each with its evidence and what it costs in round trips and
 * ms. Judged by the Result alone, once it is made: addresses that did not connect, round trips and loss, the staple and chain, records and the answer.
 * What only a pair of Results shows (tickets that do not resume) is found by sequence.ts through resumption.ts.
 */
import type { Finding, Result } from '#contract/result.ts';
import type { Flights } from '../round-trips/flights.ts';
import { addressFindings } from './addresses.ts';
import { certificateFindings, stapleFindings } from './certificate.ts';
import { httpFindings } from './http.ts';
import { connectFindings, roundTripFindings } from './round-trips.ts';

/**
 * What this one result shows to be wasteful or wrong, the costliest first. `flights` are its handshake's arrivals.
 */
export function findingsOf(result: Result, flights: Flights | null, offeredHttp2 = true): Finding[] {
  const { tls } = result;
  const addresses = addressFindings(result);
  if (!tls) return [...addresses, ...connectFindings(result)];
  const found = [
    ...addresses,
    ...roundTripFindings(result, tls, flights),
    ...stapleFindings(tls),
    ...certificateFindings(result, tls),
    ...httpFindings(result, offeredHttp2),
  ];
  return found.sort((a, b) => (b.savesMs ?? 0) - (a.savesMs ?? 0));
}
