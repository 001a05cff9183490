import type { StorableResult, VantageRef } from '#contract/result.ts';
import { MINUTE } from './comparing.ts';
import { insertProber, insertTarget } from './places.ts';
import { insertResults, makeResult } from './results.ts';
import { makeVantage } from './vantages.ts';

/** Region, carrier and RTT (ms) of vantages. */
export const PLACES = [
  ['CN-BJ', 'telecom', 8],
  ['CN-SH', 'unicom', 21],
  ['CN-GD', 'mobile', 34],
  ['CN-SC', 'telecom', 47],
  ['CN-XJ', 'unicom', 71],
] as const;

/** A Result of a vantage at this RTT (ms), where the handshake took so many round trips. */
export function exchangeResult(
  targetId: string,
  vantage: VantageRef,
  startedAt: number,
  { rtt, trips }: { rtt: number; trips: number },
): StorableResult {
  // Some tenths of a ms of noise, the same whenever it runs.
  const noise = ((startedAt / 1_000) * 7 + rtt * 13) % 10;
  const tcp = rtt + noise / 20;
  const made = makeResult({ targetId, vantage, startedAt });
  const marks = { ...made.marks, namelookup: 1, connect: 1 + tcp };
  const appconnect = marks.connect + trips * rtt + 1 + noise / 30;
  const starttransfer = appconnect + rtt + 1;
  const [tls, firstByte] = [appconnect - marks.connect, starttransfer - appconnect];
  const total = starttransfer + 0.4;
  const version = trips > 1 ? { version: 'TLSv1.2', group: 'X25519', cipher: 'ECDHE-ECDSA-AES128-GCM-SHA256' } : {};
  return {
    ...made,
    phases: { ...made.phases, dns: 1, tcp, tls, firstByte, download: 0.4, total },
    marks: { ...marks, appconnect, pretransfer: appconnect, starttransfer, total },
    tls: made.tls && { ...made.tls, ...version, ...(trips > 1 ? { wire: twoFlights(marks.connect, rtt) } : {}) },
    roundTrips: made.roundTrips && { ...made.roundTrips, tls: { took: trips, expected: trips } },
  };
}

/** The records of a full handshake of TLS 1.2, which the server sends in two flights. */
function twoFlights(connect: number, rtt: number): NonNullable<NonNullable<StorableResult['tls']>['wire']> {
  const at = (ms: number) => Math.round((connect + ms) * 1_000) / 1_000;
  return [
    { atMs: at(0.2), direction: 'out', type: 'handshake', bytes: 517 },
    { atMs: at(rtt), direction: 'in', type: 'handshake', bytes: 91 },
    { atMs: at(rtt), direction: 'in', type: 'handshake', bytes: 2_430 },
    { atMs: at(rtt), direction: 'in', type: 'handshake', bytes: 150 },
    { atMs: at(rtt + 0.5), direction: 'out', type: 'handshake', bytes: 42 },
    { atMs: at(2 * rtt + 0.5), direction: 'in', type: 'handshake', bytes: 180 },
    { atMs: at(2 * rtt + 0.5), direction: 'in', type: 'change_cipher_spec', bytes: 6 },
    { atMs: at(2 * rtt + 0.5), direction: 'in', type: 'handshake', bytes: 45 },
  ];
}

/** A target that five vantages probe every minute; at `at` its server goes from TLS 1.2 to 1.3: a round trip less. */
export async function storeTls13({
  at,
  minutes = 20,
  name,
}: {
  at: number;
  minutes?: number;
  name?: string;
}): Promise<{ targetId: string; vantages: VantageRef[] }> {
  const targetId = await insertTarget(name === undefined ? {} : { name });
  const vantages = PLACES.map(([region, carrier]) => makeVantage(region, carrier));
  await insertProber(vantages);
  const results: StorableResult[] = [];
  for (let offset = -minutes; offset < minutes; offset++) {
    for (const [i, vantage] of vantages.entries()) {
      const rtt = PLACES[i]?.[2] ?? 20;
      results.push(
        exchangeResult(targetId, vantage, at + offset * MINUTE + i * 1_000, { rtt, trips: offset < 0 ? 2 : 1 }),
      );
    }
  }
  await insertResults(results);
  return { targetId, vantages };
}
