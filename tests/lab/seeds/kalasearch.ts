import { type Sample, sampleOf } from '#analysis/comparison/sample.ts';
import type { ComparisonFigures, Milestone } from '#contract/comparison.ts';
import type { VantageRef } from '#contract/result.ts';
import { compare } from '../compare.ts';
import type { Scenario } from '../types.ts';
import { type Measured, type Row, resultsOf, type Seed } from './seed.ts';
import { comparisonSentence, undisturbed } from './sentences.ts';
import type { Testbed } from './testbed.ts';

const TOLERANCE = 0.1;
/** Probes of each state at each vantage. */
const ROUNDS = 9;
const MINUTE_MS = 60_000;

/** A vantage of the experiment: a place and a carrier of the article's, and how far away it is. */
export type SeedVantage = { ref: Omit<VantageRef, 'id'>; rttMs: number };

const vantage = (
  city: string,
  region: string,
  carrier: 'unicom' | 'mobile',
  asn: number,
  rttMs: number,
): SeedVantage => ({
  ref: { name: `${city} ${carrier}`, country: 'CN', region, city, carrier, asn, access: 'lastmile' },
  rttMs,
});

/** The article measured from Unicom's and Mobile's vantages in all provinces; these five have its median, 28 ms. */
export const VANTAGES: readonly SeedVantage[] = [
  vantage('Beijing', 'CN-BJ', 'unicom', 4837, 8),
  vantage('Shanghai', 'CN-SH', 'mobile', 9808, 18),
  vantage('Guangzhou', 'CN-GD', 'unicom', 4837, 28),
  vantage('Chengdu', 'CN-SC', 'mobile', 9808, 46),
  vantage('Urumqi', 'CN-XJ', 'unicom', 4837, 84),
];

/** The server before any change. */
export const BEFORE: Scenario = {
  name: 'before',
  tls: '1.2',
  key: 'rsa2048',
  chainBytes: 3_600,
  bodyBytes: 20_000,
  tickets: false,
  ocsp: true,
};

/** The changes of the article, in its order, and the one that it did not make; `milestone` is what each is said to shorten. */
export const CHANGES = {
  http2: { title: 'HTTP/2', milestone: 'firstBody', to: { http2: true } },
  ciphers: {
    title: 'Order of ciphers',
    milestone: 'handshake',
    to: { ciphers: 'ECDHE-RSA-CHACHA20-POLY1305:ECDHE-RSA-AES256-GCM-SHA384:ECDHE-RSA-AES128-GCM-SHA256' },
  },
  stapling: { title: 'OCSP stapling', milestone: 'handshake', to: { staple: true } },
  buffer: { title: 'ssl_buffer_size 4k', milestone: 'firstBody', to: { recordBytes: 4_096 } },
  cache: { title: 'Session cache', milestone: 'handshake', to: { sessionCache: true } },
  tls13: { title: 'TLS 1.3', milestone: 'handshake', to: { tls: '1.3' } },
} as const satisfies Record<string, { title: string; milestone: Milestone; to: Partial<Scenario> }>;

const { http2, ciphers, stapling, buffer, cache, tls13 } = CHANGES;
const ALL_FIVE = { ...http2.to, ...ciphers.to, ...stapling.to, ...buffer.to, ...cache.to };

const STATES: Record<string, Partial<Scenario>> = {
  http2: http2.to,
  ciphers: ciphers.to,
  stapling: stapling.to,
  buffer: buffer.to,
  cache: cache.to,
  'all-five': ALL_FIVE,
  tls13: tls13.to,
};

/** What is looked at: a state against the one before, at a milestone, and the round trips that it adds. */
type Slope = { what: string; state: string; milestone: Milestone; adds: number; resumed?: boolean };

const SLOPES: readonly Slope[] = [
  { what: 'HTTP/2: handshake', state: 'http2', milestone: 'handshake', adds: 0 },
  { what: 'HTTP/2: first byte of the body', state: 'http2', milestone: 'firstBody', adds: 0 },
  { what: 'order of ciphers: handshake', state: 'ciphers', milestone: 'handshake', adds: 0 },
  { what: 'OCSP stapling: handshake', state: 'stapling', milestone: 'handshake', adds: 0 },
  { what: 'session cache, first visit: handshake', state: 'cache', milestone: 'handshake', adds: 0 },
  { what: 'session cache, second visit: handshake', state: 'cache', milestone: 'handshake', adds: -1, resumed: true },
  { what: 'ssl_buffer_size 4k: first usable byte', state: 'buffer', milestone: 'firstUsable', adds: -1 },
  { what: 'ssl_buffer_size 4k: all of it', state: 'buffer', milestone: 'total', adds: 0 },
  { what: 'all five together: handshake', state: 'all-five', milestone: 'handshake', adds: 0 },
  { what: 'TLS 1.3, not in the article: handshake', state: 'tls13', milestone: 'handshake', adds: -1 },
  { what: 'TLS 1.3, not in the article: all of it', state: 'tls13', milestone: 'total', adds: -1 },
];

/** Which of five changes took 30 ms off the handshake. */
export const kalasearchSeed: Seed = {
  title: 'KalaSearch: what each change is worth, as round trips over the round-trip times of five vantages',
  source: 'KalaSearch, from 140 to 110 ms of TLS, mean of the provinces of Unicom and Mobile',
  notes: [
    'Published is the sum of all changes alone: 30 ms less, which at a round-trip time of 28 ms is one round trip.',
    `Five vantages at ${VANTAGES.map(({ rttMs }) => rttMs).join(', ')} ms; ${ROUNDS} probes of each state at each, in turn.`,
  ],
  measure: measureStates,
  rowsOf: (measured) => SLOPES.map((slope) => rowOf(slope, measured)),
};

/** All states at all vantages, in turn, so that what disturbs the machine disturbs them alike. */
async function measureStates(testbed: Testbed, _say: unknown, more?: Measured): Promise<Measured> {
  const states = Object.entries(STATES).map(([name, to]) => ({ ...BEFORE, ...to, name }));
  const ports = await testbed.serve([BEFORE, ...states]);
  const results: Measured['results'] = { ...more?.results };
  for (const [at, { ref, rttMs }] of VANTAGES.entries()) {
    await testbed.setRtt(rttMs);
    const vantage: VantageRef = { ...ref, id: `00000000-0000-4000-8000-00000000000${at}` };
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [name, port] of Object.entries(ports)) {
        const seen = await testbed.probe(port, { resume: name === 'cache' });
        results[name] = [...(results[name] ?? []), ...seen.map((result) => ({ ...result, vantage }))];
      }
    }
  }
  return { results, figures: {} };
}

/**
 * The samples of a state, each vantage's one minute after the other. The second visit is compared as a visit of its own.
 */
function samplesOf(measured: Measured, state: string, resumed: boolean, fromMs: number): Sample[] {
  const own = resultsOf(measured, state).filter(({ variant }) => (variant === 'resumed') === resumed);
  return [...Map.groupBy(own, ({ vantage }) => vantage?.id).values()].flatMap((results) =>
    results.flatMap((result, index) => {
      const sample = sampleOf({ ...undisturbed(result), variant: 'main' });
      return sample ? [{ ...sample, at: fromMs + index * MINUTE_MS }] : [];
    }),
  );
}

function rowOf({ what, state, milestone, adds, resumed = false }: Slope, measured: Measured): Row {
  const before = samplesOf(measured, BEFORE.name, false, 0);
  const after = samplesOf(measured, state, resumed, before.length * MINUTE_MS);
  const outcome = compare(before, after, { milestone });
  const slope = slopeOf(outcome.figures, milestone);
  return {
    what,
    published: null,
    measured: slope === null ? 'no slope' : `${signed(slope.value)} (${signed(slope.low)} to ${signed(slope.high)})`,
    expected: `${signed(adds)} round trips within ${TOLERANCE}`,
    holds: slope !== null && Math.abs(slope.value - adds) <= TOLERANCE,
    sentences: [comparisonSentence(outcome, milestone)],
  };
}

const slopeOf = (figures: ComparisonFigures | null, milestone: Milestone) =>
  figures?.milestones[milestone]?.roundTrips ?? null;
const signed = (value: number) => `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(2)}`;
