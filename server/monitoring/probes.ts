// What /metrics/probes answers: of each target and vantage the newest result, under the names and phases of blackbox_exporter, whose
// dashboards then know the places as well, and how long the handshakes took that this process stored (docs/operations.md has the table).

import { setImmediate } from 'node:timers/promises';
import type { StorableResult } from '#contract/result.ts';
import type { ProbeMetricsQuery } from '#contract/target.ts';
import { ServiceError } from '#server/environment/errors.ts';
import { type NewestProbe, newestProbes, type ProbedPair, probedPairs } from '#server/figures/newest-probes.ts';

/** Most pairs of a target and a vantage in one answer: 50 targets at 93 vantages, and some. Each has some 40 lines. */
export const MOST_PAIRS = 5_000;
/** Upper bounds of the histograms, in seconds. */
export const BUCKETS = [0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1, 2.5];
const HISTOGRAMS = [
  { name: 'roundtrip_probe_tls_seconds', help: 'Time of the TLS handshake', phase: 'tls' },
  { name: 'roundtrip_probe_first_byte_seconds', help: 'Time from the request to the first byte', phase: 'firstByte' },
] as const;
const ROOM = BUCKETS.length + 2;

/** Most pairs that are counted; for one more, the one that was counted first is dropped. */
export const MOST_COUNTED = 4 * MOST_PAIRS;
/** Both histograms of each pair that this process stored results of: counts by bucket, the last without an end, and the sum in seconds. */
const tallies = new Map<string, Float64Array>();

/** Counts results that were stored now: successful main ones that nothing disturbed, of which statistics are made. */
export function countProbes(results: readonly StorableResult[]): void {
  for (const { targetId, vantage, ok, prober, variant = 'main', phases } of results) {
    if (!ok || !prober.clean || variant !== 'main') continue;
    const tally = tallyOf(`${targetId} ${vantage.id}`.toLowerCase());
    for (const [index, { phase }] of HISTOGRAMS.entries()) {
      const ms = phases[phase];
      if (ms === null) continue;
      const bucket = BUCKETS.findIndex((bound) => ms <= bound * 1_000);
      const first = index * ROOM;
      add(tally, first + (bucket < 0 ? BUCKETS.length : bucket), 1);
      add(tally, first + ROOM - 1, ms / 1_000);
    }
  }
}

const add = (to: Float64Array, at: number, amount: number) => {
  to[at] = (to[at] ?? 0) + amount;
};

function tallyOf(pair: string): Float64Array {
  const tally = tallies.get(pair) ?? new Float64Array(HISTOGRAMS.length * ROOM);
  if (!tallies.has(pair) && tallies.size >= MOST_COUNTED) tallies.delete(tallies.keys().next().value ?? '');
  tallies.set(pair, tally);
  return tally;
}

type Gauge = {
  name: string;
  help: string;
  /** Values, each with the labels that it has beside those of its pair. */
  of: (probe: NewestProbe) => [value: number | null, labels?: string][];
};

const GAUGES: Gauge[] = [
  { name: 'probe_success', help: '1 where the newest probe succeeded, else 0', of: ({ ok }) => [[Number(ok)]] },
  { name: 'probe_duration_seconds', help: 'Time of the newest probe', of: ({ total }) => [[total]] },
  {
    name: 'probe_http_duration_seconds',
    help: 'Time of the newest probe by phase',
    of: ({ dns, tcp, tls, firstByte, download }) => [
      [dns, ',phase="resolve"'],
      [tcp, ',phase="connect"'],
      [tls, ',phase="tls"'],
      [firstByte, ',phase="processing"'],
      [download, ',phase="transfer"'],
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
    of: ({ tlsVersion }) => [
      [tlsVersion === null ? null : 1, `,version="${escaped((tlsVersion ?? '').replace('TLSv', 'TLS '))}"`],
    ],
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

/**
 * The metrics of the pairs that are asked for, in the text format of Prometheus, a family at a time: others get their turn in between.
 * Throws `invalid` for more than MOST_PAIRS, and `not_found` for an unknown target.
 */
export async function probeMetrics(query: ProbeMetricsQuery): Promise<AsyncGenerator<Uint8Array, void, void>> {
  const { pairs, count } = await probedPairs(query, MOST_PAIRS);
  if (count > MOST_PAIRS) {
    const message = `has to leave fewer: there are ${count} pairs of a target and a vantage, and one answer has at most ${MOST_PAIRS}`;
    const fields = ['target', 'tag'].map((field) => ({ field, message }));
    throw new ServiceError('invalid', `the filter (target, tag) ${message}`, fields);
  }
  return families(pairs, await newestProbes(pairs));
}

async function* families(pairs: readonly ProbedPair[], newest: readonly (NewestProbe | null)[]) {
  // A character a byte: that is half the work where names are not of ASCII alone, and is sent as it is.
  const labels = pairs.map((pair) => Buffer.from(labelsOf(pair)).toString('latin1'));
  for (const { name, help, of } of GAUGES) {
    let text = headOf(name, help, 'gauge');
    for (const [index, probe] of newest.entries())
      for (const [value, more = ''] of probe ? of(probe) : [])
        if (value !== null) text += `${name}{${labels[index]}${more}} ${value}\n`;
    yield Buffer.from(text, 'latin1');
    await setImmediate();
  }
  const counted = pairs.map(({ targetId, vantageId }) => tallies.get(`${targetId} ${vantageId}`));
  for (const [number, { name, help }] of HISTOGRAMS.entries()) {
    const about = 'of successful probes that this process has stored';
    let text = headOf(name, `${help}, ${about}`, 'histogram');
    for (const [index, tally] of counted.entries())
      text += histogramOf(name, labels[index] ?? '', tally, number * ROOM);
    yield Buffer.from(text, 'latin1');
    await setImmediate();
  }
}

const headOf = (name: string, help: string, type: string) => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;

const BOUNDS = [...BUCKETS, '+Inf'].map((bound) => `,le="${bound}"} `);

/** All of 0 where nothing was counted yet: a rate then knows the first. */
function histogramOf(name: string, labels: string, tally: Float64Array | undefined, first: number): string {
  let text = '';
  let count = 0;
  for (const [bucket, bound] of BOUNDS.entries()) {
    count += tally?.[first + bucket] ?? 0;
    text += `${name}_bucket{${labels}${bound}${count}\n`;
  }
  return `${text}${name}_sum{${labels}} ${tally?.[first + ROOM - 1] ?? 0}\n${name}_count{${labels}} ${count}\n`;
}

/** Ids are there for namesakes alone: in 5,000 pairs they would be a third of all that is sent. */
function labelsOf({
  target,
  targetId,
  hasNamesake,
  region,
  carrier,
  vantage,
  vantageId,
  vantageHasNamesake,
}: ProbedPair) {
  const ofTarget = `target="${escaped(target)}"${hasNamesake ? `,target_id="${targetId}"` : ''}`;
  const ofVantage = `vantage="${escaped(vantage)}"${vantageHasNamesake ? `,vantage_id="${vantageId}"` : ''}`;
  return `${ofTarget},region="${region}",carrier="${carrier}",${ofVantage}`;
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };

const escaped = (text: string) => text.replace(/[\\"\n]/g, (character) => ESCAPES[character] ?? '');
