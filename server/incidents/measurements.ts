import { repeatedSynMs } from '#analysis/detection/parameters.ts';
import type { Dimensions, Measurement, Sides } from '#analysis/incident/measurement.ts';
import type { ExplainedMetric } from '#analysis/incident/shares.ts';
import { queryResults } from '#server/blocks/read.ts';
import { getPrisma } from '#server/database/database.ts';
import { stringsOf } from '#server/database/dictionary.ts';
import { informativeOf } from '#server/detection/read-samples.ts';
import { measuringVantages } from '#server/vantages/labels.ts';
import type { IncidentRecord, StoredCell } from './stored-incident.ts';

// What the results of an incident measured before its onset and since: those of all series of its targets, since what is not affected says
// as much about where it is. Bounded: of a few targets, of either side some hours, and of each series some results there.

/** Of an incident that reaches over many targets, those with the most series are read. */
const MAX_TARGETS = 3;
/** How far before the onset, and how long since then, results are read, ms. */
const WINDOW_MS = 3 * 3_600_000;
/** Results that are read of a target on either side, and of one series of them at most and at least. */
const RESULTS_A_SIDE = 1_200;
const MOST_OF_SERIES = 40;
const LEAST_OF_SERIES = 6;

/** A series: a target at a vantage. */
export type SeriesRef = { targetId: string; vantageId: string };
type SeriesSides = SeriesRef & Sides;

/**
 * The results of an incident; those of series that it has cells of, and those of its targets' others, before `onset` and from then `to`
 * (ms since 1970; of a series with a cell, its own).
 */
export type Measured = { metric: ExplainedMetric; own: Sides[]; others: SeriesSides[]; onset: number; to: number };

/** What an incident is about: the cells of the time that moved, and whether of resumed handshakes. */
type Subject = { metric: ExplainedMetric; variant: StoredCell['variant']; cells: StoredCell[] };

/** TLS time where that is among what moved, of all handshakes before that of resumed ones. Null where it is about no time. */
function subjectOf(cells: readonly StoredCell[]): Subject | null {
  const full = cells.filter(({ variant }) => variant === undefined);
  for (const metric of ['tls', 'tcp', 'firstByte'] as const) {
    const found = full.filter((cell) => cell.metric === metric);
    if (found.length > 0) return { metric, variant: undefined, cells: found };
  }
  // A session that is refused costs TLS time.
  const resumed = cells.filter(({ variant, metric }) => variant === 'resumed' && metric !== 'failures');
  return resumed.length > 0 ? { metric: 'tls', variant: 'resumed', cells: resumed } : null;
}

/** What was measured up to `until` (ms since 1970). Null where it is about no time. */
export async function measurementsOf(
  { cells, onsetAt }: Pick<IncidentRecord, 'cells' | 'onsetAt'>,
  until: number,
): Promise<Measured | null> {
  const subject = subjectOf(cells);
  if (subject === null) return null;
  const { metric, variant } = subject;
  const told = subject.cells.filter(({ targetId, vantageId }) => targetId !== null && vantageId !== null);
  const targets = [...Map.groupBy(told, ({ targetId }) => targetId as string)]
    .toSorted((a, b) => b[1].length - a[1].length)
    .slice(0, MAX_TARGETS);
  const spans = new Map(told.map((cell) => [`${cell.targetId} ${cell.vantageId}`, spanOf(cell, until)]));
  const { at: onset, end: to } = overallOf([...spans.values()], onsetAt.getTime(), until);
  const rows = await read({ targetIds: targets.map(([id]) => id), variant, from: onset - WINDOW_MS, onset, to });
  const sides = await sidesOf(rows, metric, (key) => spans.get(key) ?? { at: onset, end: to });
  const isOwn = ([key]: [string, SeriesSides]) => spans.has(key);
  const all = [...sides];
  return {
    metric,
    own: all.filter(isOwn).map(([, each]) => each),
    others: all.filter((each) => !isOwn(each)).map(([, each]) => each),
    onset,
    to,
  };
}

/** When a series' change began, and until when it is looked at; ms since 1970. */
type Span = { at: number; end: number };

function spanOf({ changeAt, quietSince, recoveredAt }: StoredCell, until: number): Span {
  const at = Date.parse(changeAt);
  const over = recoveredAt ?? quietSince;
  return { at, end: Math.max(at, Math.min(over === null ? until : Date.parse(over), until, at + WINDOW_MS)) };
}

/** Of what has no cell: from the middle onset to the last end. */
function overallOf(spans: readonly Span[], onset: number, until: number): Span {
  const onsets = spans.map(({ at }) => at).sort((a, b) => a - b);
  return {
    at: onsets[onsets.length >> 1] ?? onset,
    end: Math.max(onset, ...spans.map(({ end }) => end), Math.min(until, onset)),
  };
}

const COLUMNS = [
  'id',
  'tls_us',
  'tcp_us',
  'attempt_us',
  'first_byte_us',
  'rtt_us',
  'min_rtt_us',
  'round_trips',
  'expected_round_trips',
  'resumed',
  'hello_retry',
  'retransmits',
  'syn_retransmits',
  'out_of_order',
  'http_work_us',
  'late_us',
  'family',
  'peer_address_id',
  'resolver_id',
  'tls_version_id',
  'group_id',
  'alpn_id',
  'certificate_id',
  'staple_status_id',
];

type Row = {
  targetId: string;
  vantageId: string;
  at: number;
  tls: number | null;
  tcp: number | null;
  firstByte: number | null;
  rtt: number | null;
  minRtt: number | null;
  trips: number | null;
  expected: number | null;
  resumed: boolean | null;
  retry: boolean | null;
  retransmits: number | null;
  syn: number | null;
  early: number | null;
  work: number | null;
  late: number | null;
  family: number | null;
  words: (number | null)[];
  certificate: string | null;
};

type Asked = { targetIds: string[]; variant: StoredCell['variant']; from: number; onset: number; to: number };

async function read({ targetIds, variant, from, onset, to }: Asked): Promise<Row[]> {
  if (targetIds.length === 0 || to <= from) return [];
  const checks = await getPrisma().check.count({ where: { targetId: { in: targetIds }, deletedAt: null } });
  const known = await measuringVantages();
  const fair = Math.round((RESULTS_A_SIDE * targetIds.length) / Math.max(1, checks));
  const rows = await queryResults<Row>({
    spans: targetIds.map((targetId) => ({ targetId, from, to })),
    columns: COLUMNS,
    // The newest before the onset; since then an even choice, since a series may be over long before the others.
    text: (result) => `select r.target_id as "targetId", r.vantage_id as "vantageId",
        (extract(epoch from r.started_at) * 1000)::float8 as at, r.tls_us as tls, coalesce(r.attempt_us, r.tcp_us) as tcp,
        r.first_byte_us as "firstByte", r.rtt_us as rtt, r.min_rtt_us as "minRtt", r.round_trips as trips,
        r.expected_round_trips as expected, r.resumed, r.hello_retry as retry, r.retransmits, r.syn_retransmits as syn,
        r.out_of_order as early, r.http_work_us as work, r.late_us as late, r.family,
        array[r.peer_address_id, r.resolver_id, r.tls_version_id, r.group_id, r.alpn_id, r.staple_status_id] as words,
        encode(c.sha256, 'hex') as certificate
      from (select *, row_number() over series as place, count(*) over (partition by target_id, vantage_id, since) as of
          from (select *, started_at >= $4 as since from ${result} inside
            where target_id = any($1::uuid[]) and started_at >= $2 and started_at < $3 and ok and ${informativeOf(variant)}
              and ($6::uuid[] is null or vantage_id = any($6))) sided
          window series as (partition by target_id, vantage_id, since order by started_at desc, id)) r
        left join certificate c on c.id = r.certificate_id
      where case when r.since then (r.place - 1) % ((r.of + $5 - 1) / $5) = 0 else r.place <= $5 end`,
    values: [
      targetIds,
      new Date(from),
      new Date(to),
      new Date(onset),
      Math.min(MOST_OF_SERIES, Math.max(LEAST_OF_SERIES, fair)),
      known && [...known],
    ],
  });
  // Of what was imported for the first time since.
  const measuring = known ?? (await measuringVantages());
  return rows.filter(({ vantageId }) => measuring?.has(vantageId) ?? true);
}

/** The words of `Row.words`, in their order. */
const WORDS = ['peerAddress', 'resolver', 'version', 'group', 'alpn', 'staple'] as const;

/** Results by series, on both sides of when that changed; in the order of their keys (target and vantage). */
async function sidesOf(
  rows: readonly Row[],
  metric: ExplainedMetric,
  spanOfSeries: (key: string) => Span,
): Promise<Map<string, SeriesSides>> {
  const words = await stringsOf(new Set(rows.flatMap(({ words }) => words.filter((id) => id !== null))));
  const vantages = await getPrisma().vantage.findMany({
    where: { id: { in: [...new Set(rows.map(({ vantageId }) => vantageId))] } },
    select: { id: true, region: true, carrier: true },
  });
  const places = new Map(vantages.map(({ id, region, carrier }) => [id, { region, carrier }]));
  const sides = new Map<string, SeriesRef & { before: Measurement[]; after: Measurement[] }>();
  for (const row of rows) {
    const { targetId, vantageId } = row;
    const key = `${targetId} ${vantageId}`;
    const measured = measurementOf(row, metric, { ...places.get(vantageId), ...dimensionsOf(row, words) });
    if (measured === null) continue;
    const own = sides.get(key) ?? { targetId, vantageId, before: [], after: [] };
    sides.set(key, own);
    const { at, end } = spanOfSeries(key);
    if (row.at < at) own.before.push(measured);
    else if (row.at < end) own.after.push(measured);
  }
  return new Map([...sides].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function dimensionsOf(row: Row, words: ReadonlyMap<number, string>): Dimensions {
  const named = WORDS.map((name, i) => [name, words.get(row.words[i] ?? -1)] as const);
  const { targetId, family, certificate } = row;
  const rest = { target: targetId, family: family?.toString(), certificate: certificate ?? undefined };
  return Object.fromEntries([...named, ...Object.entries(rest)].filter(([, value]) => value !== undefined));
}

const ms = (us: number | null) => (us === null ? null : us / 1_000);

function measurementOf(row: Row, metric: ExplainedMetric, dimensions: Dimensions): Measurement | null {
  const { tls, tcp, firstByte } = row;
  const time = ms(metric === 'tls' ? tls : metric === 'tcp' ? tcp : firstByte);
  if (time === null) return null;
  const synRepeated = isSynRepeated(row);
  // A connect with a lost SYN is no round trip; without, it is one that no other of this connection influenced.
  const rttMs = ms(synRepeated ? (row.minRtt ?? handshakeRtt(row)) : (row.rtt ?? tcp));
  const answerTrips = answerTripsOf(row);
  const trips = { tls: row.trips, tcp: 1, firstByte: answerTrips }[metric];
  const expectedTrips = { tls: row.expected, tcp: 1, firstByte: 1 }[metric];
  return {
    ms: time,
    rttMs,
    trips,
    expectedTrips,
    resumed: row.resumed ?? false,
    helloRetry: row.retry ?? false,
    lost: Math.max(0, (row.retransmits ?? 0) - (row.syn ?? 0)) + (row.early ?? 0) > 0,
    synRepeated,
    lateMs: ms(row.late) ?? 0,
    answerMs: firstByte === null || rttMs === null ? null : firstByte / 1_000 - (answerTrips ?? 1) * rttMs,
    dimensions,
  };
}

/** By the kernel's word; where it has none, a connect that took so much longer than the handshake after it was asked for twice. */
const isSynRepeated = ({ syn, tcp, tls }: Row): boolean =>
  syn === null ? tcp !== null && tls !== null && tcp - tls > 1_000 * repeatedSynMs : syn > 0;

/** The most that a round trip of a handshake can have taken, us. */
const handshakeRtt = ({ tls, trips }: Row) => (tls === null || trips === null ? null : tls / trips);

/** Round trips until the first byte: what is left of it without the server's work; null where that is not known. */
function answerTripsOf({ firstByte, work, minRtt, tcp }: Row): number | null {
  const rtt = Math.min(minRtt ?? Infinity, tcp ?? Infinity);
  if (firstByte === null || work === null || !(rtt > 0) || !Number.isFinite(rtt)) return null;
  return Math.max(1, Math.round((firstByte - work) / rtt));
}
