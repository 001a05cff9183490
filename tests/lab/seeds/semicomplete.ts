import type { Result } from '#contract/result.ts';
import type { Scenario } from '../types.ts';
import { inMs, inTrips, medianOf, probed, type Row, resultsOf, type Seed } from './seed.ts';
import { adviceSentences } from './sentences.ts';

const RTT_MS = 115;
const PROBES = 5;
/** A ratio may be off a count of round trips by what servers and clients compute: so much of a round trip. */
const RATIO_TOLERANCE = 0.1;
const KEY_SIZE_MS = 5;

const OLD: Scenario = { name: 'rsa2048', tls: '1.2', key: 'rsa2048', bodyBytes: 4_000 };
const SCENARIOS: Scenario[] = [
  OLD,
  { ...OLD, name: 'rsa4096', key: 'rsa4096' },
  { ...OLD, name: 'modern', tls: '1.3' },
];

/** curl's time_appconnect over its time_connect: 1 and the round trips of TLS, where the address is known. */
const ratioOf = ({ marks }: Result) => ratio(since(marks.appconnect, marks), since(marks.connect, marks));
const since = (mark: number | null, { namelookup }: Result['marks']) =>
  mark === null ? null : mark - (namelookup ?? 0);
const ratio = (above: number | null, below: number | null) => (above === null || !below ? null : above / below);

/** time_appconnect against time_connect at a round-trip time of 115 ms. */
export const semicompleteSeed: Seed = {
  title: `semicomplete: what a TLS handshake takes at a round-trip time of ${RTT_MS} ms`,
  source: 'Jordan Sissel, SSL handshake latency and HTTPS optimizations, 2011',
  notes: ['The article has 0.408 s over 0.117 s: three round trips, and what its server and client computed in 2011.'],
  measure: async (testbed) => {
    await testbed.setRtt(RTT_MS);
    const ports = await testbed.serve(SCENARIOS);
    const results: Record<string, Result[]> = {};
    for (const { name } of SCENARIOS)
      results[name] = await probed(testbed, ports[name], PROBES, { resume: name === OLD.name });
    return { results, figures: {} };
  },
  rowsOf: (measured) => {
    const old = resultsOf(measured, OLD.name);
    const full = old.filter(({ variant }) => variant !== 'resumed');
    return [
      ratioRow('TLS 1.2, RSA 2048: time_appconnect over time_connect', '3.5', 3, full),
      ratioRow('TLS 1.3', null, 2, resultsOf(measured, 'modern')),
      resumedRow(old.filter(({ variant }) => variant === 'resumed')),
      keySizeRow(full, resultsOf(measured, 'rsa4096')),
    ];
  },
};

function ratioRow(what: string, published: string | null, trips: number, results: Result[]): Row {
  const measured = medianOf(results, ratioOf);
  return {
    what,
    published,
    measured: `${measured.toFixed(2)}, ${inTrips(medianOf(results, ({ roundTrips }) => roundTrips?.tls.took))} of TLS`,
    expected: `${trips} within ${RATIO_TOLERANCE}, ${inTrips(trips - 1)} of TLS`,
    holds: Math.abs(measured - trips) <= RATIO_TOLERANCE && took(results, trips - 1),
    sentences: adviceSentences(results),
  };
}

const took = (results: Result[], trips: number) =>
  results.length > 0 && results.every(({ roundTrips }) => roundTrips?.tls.took === trips);

function resumedRow(results: Result[]): Row {
  const isOne = took(results, 1) && results.every(({ tls }) => tls?.resumed);
  const trips = results.flatMap(({ roundTrips }) => roundTrips?.tls.took ?? []);
  return {
    what: 'TLS 1.2 resumed',
    published: null,
    measured: trips.length === 0 ? 'no session was resumed' : `${inTrips(Math.max(...trips))} of TLS`,
    expected: '1 round trip of TLS',
    holds: isOne,
    sentences: adviceSentences(results),
  };
}

/** What disturbs a handshake only lengthens it: the shortest shows what the server needs. */
const leastTls = (results: Result[]) => Math.min(...results.flatMap(({ phases }) => phases.tls ?? []));

function keySizeRow(small: Result[], large: Result[]): Row {
  const [less, more] = [leastTls(small), leastTls(large)];
  return {
    what: 'RSA 4096 instead of 2048',
    published: null,
    measured: `${inMs(more - less, 1)} more`,
    expected: `at most ${KEY_SIZE_MS} ms, and no round trip`,
    holds: Math.abs(more - less) <= KEY_SIZE_MS && took(large, 2),
    sentences: adviceSentences(large),
  };
}
