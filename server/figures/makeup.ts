import { createHash } from 'node:crypto';
import type { Makeup, MakeupQuery } from '#contract/distribution.ts';
import type { ConnectionProperty } from '#contract/vocabulary.ts';
import { queryResults } from '#server/blocks/read.ts';
import { VARIANT_CODES } from '#server/database/codes.ts';
import { getPool } from '#server/database/database.ts';
import { stringsOf } from '#server/database/dictionary.ts';
import { wholeSince } from '#server/database/retention.ts';
import { TimedCache } from '#server/database/timed-cache.ts';
import { ONE_BY_ONE } from '#server/rollups/tiers.ts';
import { targetRef, type WatchedTarget } from '#server/targets/target-ref.ts';
import { getTarget } from '#server/targets/targets.ts';
import { type Places, readPlaces } from '#server/vantages/labels.ts';
import { generatedUntil, instantOf, type Range, resolveRange } from './range.ts';
import { pointsIn, STEPS } from './series.ts';

/** Points of a chart: each reads a few minutes of results, which is two sealed blocks of them at the most. */
const MOST_POINTS = 48;
/** So many handshakes, about, are looked at for a point, and those of one round of all places at the least. */
const SAMPLE = 60;
/** Results are stored so long after their probes. */
const LATE_S = 20;
/** A prober that was away hands in late what it measured. */
const FRESH_MS = 600_000;

/**
 * The columns of `result` that have a property: ids of the dictionary, or whether; by what else it is known that it was looked at, where
 * the column may be empty then; and since which engine it is.
 */
const COLUMNS: Record<ConnectionProperty, { column: string; by?: string; engine?: number }> = {
  tls: { column: 'tls_version_id' },
  http: { column: 'http_version_id' },
  group: { column: 'group_id', by: 'tls_version_id' },
  staple: { column: 'staple_status_id' },
  resumption: { column: 'resumed' },
  certificateCompression: { column: 'certificate_compression_id', by: 'tls_version_id', engine: 3 },
  encoding: { column: 'http_encoding_id', by: 'http_version_id', engine: 3 },
};

type Asked = {
  from?: string | undefined;
  to?: string | undefined;
  property: ConnectionProperty;
  periodSeconds: number;
};

/** As `readMakeup`, by what a query names. Throws `not_found` for an unknown target. */
export async function queryMakeup({ property, ...query }: MakeupQuery): Promise<Makeup> {
  const target = await targetRef(query.target);
  const { periodSeconds } = await getTarget(target.id);
  return await readMakeup(target, { ...query, property, periodSeconds }, await readPlaces(query));
}

/**
 * What a target's successful connections were made of over a range, the most frequent value first: resumption of the handshakes that
 * offered a session, all else of the main ones. No rollup keeps it and raw results are many, so of each step the last whole rounds of its
 * probes, one each `periodSeconds`, are read, as far as they are stored at `now` (ms since 1970). Throws `invalid` for a range that is none.
 */
export async function readMakeup(
  target: WatchedTarget,
  { property, periodSeconds, ...asked }: Asked,
  places: Places,
  now = Date.now(),
): Promise<Makeup> {
  const range = resolveRange(asked);
  const step = stepOf(range);
  const round = Math.min(step, Math.max(60, periodSeconds));
  const [count, wholeMs, generated] = await Promise.all([
    countPlaces(target.id, places),
    wholeSince(range.from * 1_000, now),
    generatedUntil(target, range),
  ]);
  const rounds = Math.min(Math.ceil(SAMPLE / Math.max(1, count)), Math.floor(step / round));
  const since = wholeMs / 1_000;
  const slots = Array.from(
    { length: pointsIn(range, step) },
    (_, index) => (Math.floor(range.from / step) + index) * step,
  );
  // A part of a round would have more of some places than of others.
  const spans = slots.flatMap((slot) => {
    const to = Math.min(slot + step, range.to, Math.floor(now / 1_000) - LATE_S);
    const whole = Math.floor((to - Math.max(slot, since, range.from)) / round);
    return whole > 0 ? { slot, from: to - round * Math.min(rounds, whole), to, isOver: to === slot + step } : [];
  });
  const counts = await countOnce(target.id, { property, spans, selected: places.selected });
  const names = property === 'resumption' ? RESUMED : await stringsOf(new Set(counts.flatMap(([, id]) => id ?? [])));
  const bySlot = Map.groupBy(counts, ([slot]) => slot);
  // A server may call no encoding `none`.
  const byValue = Map.groupBy(counts, ([, id]) => (id === null ? 'none' : (names.get(id) ?? 'none')));
  const sum = (rows: readonly Count[] = []) => rows.reduce((total, [, , n]) => total + n, 0);
  return {
    stepSeconds: step,
    sampleSeconds: round * rounds,
    since: since > range.from ? instantOf(since) : null,
    generatedUntil: generated,
    lines: [...byValue]
      .toSorted(([, a], [, b]) => sum(b) - sum(a))
      .map(([value, rows]) => ({
        value,
        points: slots.map((slot) => {
          const all = sum(bySlot.get(slot));
          const own = sum(rows.filter((row) => row[0] === slot));
          return [instantOf(slot), all === 0 ? null : Math.round((own / all) * 1e4) / 1e4];
        }),
      })),
  };
}

const RESUMED = new Map([
  [0, 'full'],
  [1, 'resumed'],
]);

/** The shortest step that gives at most so many points; of more than so many days some whole days. */
function stepOf(range: Range): number {
  const day = 86_400;
  const found = STEPS.find((step) => pointsIn(range, step) <= MOST_POINTS);
  return found ?? day * Math.ceil(pointsIn(range, day) / (MOST_POINTS - 1));
}

/** How many of the chosen places probe the target; of a target that none probes any more, all that there are. */
async function countPlaces(targetId: string, { labels, selected }: Places): Promise<number> {
  const { rows } = await getPool().query<{ n: number }>(
    `select count(*)::int as n from "check"
      where target_id = $1 and deleted_at is null and ($2::uuid[] is null or vantage_id = any($2))`,
    [targetId, selected],
  );
  return rows[0]?.n || (selected ?? [...labels.keys()]).filter((id) => labels.get(id)?.deleted === false).length;
}

/** Handshakes of a slot with a value, by its id. */
type Count = [slot: number, id: number | null, n: number];
/** `isOver`: a span of a step that has ended, whose results are all there. */
type Sampled = {
  property: ConnectionProperty;
  spans: (Range & { slot: number; isOver: boolean })[];
  selected: string[] | null;
};

const counted = new TimedCache<Count[]>('makeup', { freshMs: FRESH_MS, most: 20_000 });

/** As `countValues`; a page that is refreshed reads no step twice once it is over. */
async function countOnce(targetId: string, { property, spans, selected }: Sampled): Promise<Count[]> {
  const places = createHash('sha256').update(`${selected?.toSorted()}`).digest('base64');
  const keyOf = ({ slot, from, to }: Sampled['spans'][number]) =>
    [targetId, property, slot, from, to, places].join(' ');
  const known = await Promise.all(spans.map((span) => counted.fresh(keyOf(span))));
  const missing = spans.filter((_, index) => known[index] === undefined);
  const read = missing.length === 0 ? [] : await countValues(targetId, { property, spans: missing, selected });
  const bySlot = Map.groupBy(read, ([slot]) => slot);
  for (const span of missing) if (span.isOver) counted.put(keyOf(span), bySlot.get(span.slot) ?? []);
  return [...known.flatMap((counts) => counts ?? []), ...read];
}

async function countValues(targetId: string, { property, spans, selected }: Sampled): Promise<Count[]> {
  const { column, by = column, engine = 1 } = COLUMNS[property];
  return await queryResults<Count>({
    spans: spans.map(({ from, to }) => ({ targetId, from: from * 1_000, to: to * 1_000 })),
    columns: [...new Set([column, by, 'engine_version'])],
    text: (
      result,
    ) => `select slot, value, count(*)::int from unnest($1::uuid[], $2::int[], $3::float8[], $4::float8[]) as span (target_id, slot, since, until)
      cross join lateral (
        select target_id, ${column}::int as value from ${result} result
        where target_id = span.target_id and ok and coalesce(variant, 0) = $5::int
          and ${by} is not null and engine_version >= $7::int
          and started_at >= to_timestamp(span.since) and started_at < to_timestamp(span.until)
          and ($6::uuid[] is null or vantage_id = any($6::uuid[]))
        ${ONE_BY_ONE}) found
      group by 1, 2`,
    values: [
      spans.map(() => targetId),
      spans.map(({ slot }) => slot),
      spans.map(({ from }) => from),
      spans.map(({ to }) => to),
      VARIANT_CODES[property === 'resumption' ? 'resumed' : 'main'],
      selected,
      engine,
    ],
    rowMode: 'array',
  });
}
