import type { Result } from '#contract/result.ts';
import type { Scenario } from '../types.ts';
import { inMs, inTrips, type Measured, medianOf, probed, type Row, resultsOf, type Seed } from './seed.ts';
import { adviceSentences } from './sentences.ts';
import type { Testbed } from './testbed.ts';

const RTT_MS = 380;
const PROBES = 3;
const TOLERANCE = 0.03;
/**
 * The article's client acknowledges the odd segment that Nagle's algorithm waits for after 200 ms; Linux does so at once
 * while a connection is young. It cannot be had from this kernel, so it is added.
 */
const DELAYED_ACK_MS = 200;

const OLD: Scenario = { name: 'old', tls: '1.2', key: 'rsa2048', chainBytes: 4_897, bodyBytes: 20_000, tickets: false };

type State = { what: string; publishedMs: number; addedMs: number; scenario: Scenario; roundTrips: number };

/** `roundTrips` is from the look-up of the name to the first usable byte. */
const STATES: State[] = [
  {
    what: 'nginx 1.4.4: tcp_nodelay off, which holds back the same write of 4,096 bytes',
    publishedMs: 2_900,
    addedMs: DELAYED_ACK_MS,
    scenario: { ...OLD, name: 'nagle', noDelay: false },
    roundTrips: 7,
  },
  { what: 'nginx 1.5.7', publishedMs: 2_300, addedMs: 0, scenario: { ...OLD, name: 'nodelay' }, roundTrips: 6 },
  {
    what: 'records of 4 kB',
    publishedMs: 1_900,
    addedMs: 0,
    scenario: { ...OLD, name: 'small-records', recordBytes: 4_096 },
    roundTrips: 5,
  },
  {
    what: 'False Start: TLS 1.3, which needs as many round trips',
    publishedMs: 1_560,
    addedMs: 0,
    scenario: { ...OLD, name: 'one-round-trip', tls: '1.3', recordBytes: 4_096 },
    roundTrips: 4,
  },
];

/** TTFB of nginx at a round-trip time of 380 ms. */
export const nginxSeed: Seed = {
  title: `nginx: time to the first byte at a round-trip time of ${RTT_MS} ms`,
  source: 'Ilya Grigorik, Optimizing NGINX TLS Time To First Byte, 2013',
  notes: [
    'The time begins with the look-up of the name, which takes a round trip to a DNS server behind the same line.',
    `The first row has ${DELAYED_ACK_MS} ms added for the delayed acknowledgement of the article's client, which Linux does not delay.`,
  ],
  measure: (testbed) => measureStates(testbed, RTT_MS, PROBES),
  rowsOf: (measured) => STATES.map((state) => rowOf(state, resultsOf(measured, state.scenario.name))),
};

/** Probes each state so often. */
export async function measureStates(testbed: Testbed, rttMs: number, probes: number): Promise<Measured> {
  await testbed.setRtt(rttMs);
  const ports = await testbed.serve(STATES.map(({ scenario }) => scenario));
  const results: Record<string, Result[]> = {};
  for (const { name } of STATES.map(({ scenario }) => scenario))
    results[name] = await probed(testbed, ports[name], probes, { alpn: ['http/1.1'], family: 4 });
  return { results, figures: {} };
}

function rowOf({ what, publishedMs, addedMs, roundTrips }: State, results: Result[]): Row {
  const ms = medianOf(results, ({ marks }) => marks.starttransfer) + addedMs;
  const off = ms / publishedMs - 1;
  const took = medianOf(results, tripsOf);
  const signed = `${off > 0 ? '+' : '-'}${Math.abs(100 * off).toFixed(1)}%`;
  return {
    what,
    published: inMs(publishedMs),
    measured: `${inMs(ms)} (${signed}), ${inTrips(took)}`,
    expected: `${inMs(publishedMs)} within ${100 * TOLERANCE}%, ${inTrips(roundTrips)}`,
    holds: Math.abs(off) <= TOLERANCE && took === roundTrips,
    sentences: adviceSentences(results),
  };
}

/** Round trips until the first usable byte, that of the look-up included. */
export function tripsOf({ roundTrips }: Result): number | null {
  const phases = [roundTrips?.tcp.took, roundTrips?.tls.took, roundTrips?.firstByte.took];
  return phases.reduce<number | null>((sum, took) => (sum === null || took == null ? null : sum + took), 1);
}
