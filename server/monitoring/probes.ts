// What /metrics/probes answers, and what is pushed by OTLP (`push.ts`): of each target and vantage the newest result, under the names and
// phases of blackbox_exporter, whose dashboards then know the places as well, and how long the handshakes took that this process stored
// (docs/operations.md has the table).

import { setImmediate } from 'node:timers/promises';
import type { StorableResult } from '#contract/result.ts';
import type { ProbeMetricsQuery } from '#contract/target.ts';
import { ServiceError } from '#server/environment/errors.ts';
import { type NewestProbe, newestProbes, type ProbedPair, probedPairs } from '#server/figures/newest-probes.ts';

/** Most pairs of a target and a vantage in one answer: 50 targets at 93 vantages, and some. Each has some 40 lines. */
export const MOST_PAIRS = 5_000;
/** Upper bounds of the histograms, in seconds. */
export const BUCKETS = [0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1, 2.5];
const ABOUT = 'of successful probes that this process has stored';
export const HISTOGRAMS = [
  { name: 'roundtrip_probe_tls_seconds', help: `Time of the TLS handshake, ${ABOUT}`, phase: 'tls' },
  {
    name: 'roundtrip_probe_first_byte_seconds',
    help: `Time from the request to the first byte, ${ABOUT}`,
    phase: 'firstByte',
  },
] as const;
const ROOM = BUCKETS.length + 2;
const NONE = new Float64Array(HISTOGRAMS.length * ROOM);

/** Most pairs that are counted; for one more, the one that was counted first is dropped. */
export const MOST_COUNTED = 4 * MOST_PAIRS;
/** Both histograms of a pair, from `since` (ms since 1970) on: counts by bucket, the last without an end, and the sum in seconds. */
type Tally = { since: number; numbers: Float64Array };
/** Of each pair that this process stored results of. */
const tallies = new Map<string, Tally>();
/** From when on a pair without a tally has none: the start of the process, or when a tally was dropped last. */
let noneSince = Date.now();

/** Counts results that were stored now: successful main ones that nothing disturbed, of which statistics are made. */
export function countProbes(results: readonly StorableResult[]): void {
  for (const { targetId, vantage, ok, prober, variant = 'main', phases } of results) {
    if (!ok || !prober.clean || variant !== 'main') continue;
    const { numbers } = tallyOf(`${targetId} ${vantage.id}`.toLowerCase());
    for (const [index, { phase }] of HISTOGRAMS.entries()) {
      const ms = phases[phase];
      if (ms === null) continue;
      const bucket = BUCKETS.findIndex((bound) => ms <= bound * 1_000);
      const first = index * ROOM;
      add(numbers, first + (bucket < 0 ? BUCKETS.length : bucket), 1);
      add(numbers, first + ROOM - 1, ms / 1_000);
    }
  }
}

const add = (to: Float64Array, at: number, amount: number) => {
  to[at] = (to[at] ?? 0) + amount;
};

function tallyOf(pair: string): Tally {
  const counted = tallies.get(pair);
  if (counted) return counted;
  if (tallies.size >= MOST_COUNTED) {
    tallies.delete(tallies.keys().next().value ?? '');
    noneSince = Date.now();
  }
  const tally = { since: noneSince, numbers: NONE.slice() };
  tallies.set(pair, tally);
  return tally;
}

type Gauge = {
  name: string;
  help: string;
  /** Values, each with the label that it has beside those of its pair. */
  of: (probe: NewestProbe) => [value: number | null, label?: [name: string, value: string]][];
};

export const GAUGES: Gauge[] = [
  { name: 'probe_success', help: '1 where the newest probe succeeded, else 0', of: ({ ok }) => [[Number(ok)]] },
  { name: 'probe_duration_seconds', help: 'Time of the newest probe', of: ({ total }) => [[total]] },
  {
    name: 'probe_http_duration_seconds',
    help: 'Time of the newest probe by phase',
    of: ({ dns, tcp, tls, firstByte, download }) => [
      [dns, ['phase', 'resolve']],
      [tcp, ['phase', 'connect']],
      [tls, ['phase', 'tls']],
      [firstByte, ['phase', 'processing']],
      [download, ['phase', 'transfer']],
    ],
  },
  { name: 'probe_dns_lookup_time_seconds', help: 'Time to resolve the name', of: ({ dns }) => [[dns]] },
  { name: 'probe_http_status_code', help: 'Status of the response', of: ({ httpStatus }) => [[httpStatus]] },
  {
    name: 'probe_ssl_earliest_cert_expiry',
    help: 'When the first certificate of the chain ends, in seconds since 1970',
    of: ({ certificateEnds }) => [[certificateEnds]],
  },
  {
    name: 'probe_tls_version_info',
    help: '1, with the version of TLS',
    of: ({ tlsVersion }) => [[tlsVersion === null ? null : 1, ['version', (tlsVersion ?? '').replace('TLSv', 'TLS ')]]],
  },
  {
    name: 'roundtrip_probe_round_trips',
    help: 'Round trips of the newest TLS handshake',
    of: ({ roundTrips }) => [[roundTrips]],
  },
  {
    name: 'roundtrip_probe_started_timestamp_seconds',
    help: 'When the newest probe began, in seconds since 1970',
    of: ({ startedAt }) => [[startedAt]],
  },
];

/** Of a pair: its labels by name, its newest probe, and both histograms in the order of HISTOGRAMS; `since` in ms since 1970. */
export type PairFigures = {
  labels: Record<string, string>;
  newest: NewestProbe | null;
  histograms: { since: number; counts: number[]; count: number; sum: number }[];
};

/**
 * The figures of the pairs that are asked for; without `newest` those of histograms alone. Throws `invalid` for more than MOST_PAIRS,
 * and `not_found` for an unknown target.
 */
export async function pairFigures(query: ProbeMetricsQuery, parts = { newest: true }): Promise<PairFigures[]> {
  const { pairs, count } = await probedPairs(query, MOST_PAIRS);
  if (count > MOST_PAIRS) {
    const message = `has to leave fewer: there are ${count} pairs of a target and a vantage, and one answer has at most ${MOST_PAIRS}`;
    const fields = ['target', 'tag'].map((field) => ({ field, message }));
    throw new ServiceError('invalid', `the filter (target, tag) ${message}`, fields);
  }
  const newest = parts.newest ? await newestProbes(pairs) : [];
  return pairs.map((pair, index) => {
    const tally = tallies.get(`${pair.targetId} ${pair.vantageId}`);
    const histograms = HISTOGRAMS.map((_, number) => histogramOf(tally, number * ROOM));
    return { labels: labelsOf(pair), newest: newest[index] ?? null, histograms };
  });
}

/** All of 0 where nothing was counted yet: a rate then knows the first. */
function histogramOf(tally: Tally | undefined, first: number) {
  const numbers = tally?.numbers ?? NONE;
  const counts = [...numbers.subarray(first, first + BUCKETS.length + 1)];
  const count = counts.reduce((sum, each) => sum + each, 0);
  return { since: tally?.since ?? noneSince, counts, count, sum: numbers[first + ROOM - 1] ?? 0 };
}

/** Ids are there for namesakes alone: in 5,000 pairs they would be a third of all that is sent. */
function labelsOf(pair: ProbedPair): Record<string, string> {
  const { target, region, carrier, vantage } = pair;
  const targetId: Record<string, string> = pair.hasNamesake ? { target_id: pair.targetId } : {};
  const vantageId: Record<string, string> = pair.vantageHasNamesake ? { vantage_id: pair.vantageId } : {};
  return { target, ...targetId, region, carrier, vantage, ...vantageId };
}

/**
 * The metrics of the pairs that are asked for, in the text format of Prometheus, a family at a time: others get their turn in between.
 * Throws what `pairFigures` does.
 */
export async function probeMetrics(query: ProbeMetricsQuery): Promise<AsyncGenerator<Uint8Array, void, void>> {
  return families(await pairFigures(query));
}

async function* families(figures: readonly PairFigures[]) {
  // A character a byte: that is half the work where names are not of ASCII alone, and is sent as it is.
  const labels = figures.map((pair) =>
    Buffer.from(Object.entries(pair.labels).map(textOf).join(',')).toString('latin1'),
  );
  for (const { name, help, of } of GAUGES) {
    let text = headOf(name, help, 'gauge');
    for (const [index, { newest }] of figures.entries())
      for (const [value, more] of newest ? of(newest) : [])
        if (value !== null) text += `${name}{${labels[index]}${more ? `,${textOf(more)}` : ''}} ${value}\n`;
    yield Buffer.from(text, 'latin1');
    await setImmediate();
  }
  for (const [number, { name, help }] of HISTOGRAMS.entries()) {
    let text = headOf(name, help, 'histogram');
    for (const [index, { histograms }] of figures.entries())
      text += histogramText(name, labels[index] ?? '', histograms[number]);
    yield Buffer.from(text, 'latin1');
    await setImmediate();
  }
}

const headOf = (name: string, help: string, type: string) => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;

const BOUNDS = [...BUCKETS, '+Inf'].map((bound) => `,le="${bound}"} `);

function histogramText(name: string, labels: string, histogram: PairFigures['histograms'][number] | undefined): string {
  let text = '';
  let count = 0;
  for (const [bucket, bound] of BOUNDS.entries()) {
    count += histogram?.counts[bucket] ?? 0;
    text += `${name}_bucket{${labels}${bound}${count}\n`;
  }
  return `${text}${name}_sum{${labels}} ${histogram?.sum ?? 0}\n${name}_count{${labels}} ${count}\n`;
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };

const textOf = ([name, value]: [name: string, value: string]) =>
  `${name}="${value.replace(/[\\"\n]/g, (character) => ESCAPES[character] ?? '')}"`;
