import type { ConnectionProperty } from '#contract/vocabulary.ts';
import { queryResults } from '#server/blocks/read.ts';
import { VARIANT_CODES } from '#server/database/codes.ts';
import { stringsOf } from '#server/database/dictionary.ts';
import { wholeSince } from '#server/database/retention.ts';
import { ONE_BY_ONE } from '#server/rollups/tiers.ts';
import type { WatchedTarget } from '#server/targets/target-ref.ts';
import type { Places } from '#server/vantages/labels.ts';
import { instantOf, type Range, resolveRange } from './range.ts';
import { pointsIn, STEPS } from './series.ts';

/** Points of a chart: each reads a few minutes of results, which is two sealed blocks of them at the most. */
const MOST_POINTS = 48;
/** So many handshakes, about, are looked at for a point, and those of one round of all places at the least. */
const SAMPLE = 60;
/** The last results of the step that is running may come so late. */
const LATE_S = 60;

/** The columns of `result` that have a property: ids of the dictionary, or whether. */
const COLUMNS: Record<ConnectionProperty, string> = {
  tls: 'tls_version_id',
  http: 'http_version_id',
  group: 'group_id',
  staple: 'staple_status_id',
  resumption: 'resumed',
  certificateCompression: 'certificate_compression_id',
  encoding: 'http_encoding_id',
};

type Asked = { from?: string; to?: string; property: ConnectionProperty; periodSeconds: number };

/** The share (0 to 1) of handshakes at each point, or null where there were none, with one value of a property; `none` where it has none. */
export type MakeupLine = { value: string; points: [string, number | null][] };
/** `sampleSeconds`: so much of each step is looked at. */
export type Makeup = { stepSeconds: number; sampleSeconds: number; lines: MakeupLine[] };

/**
 * What a target's successful connections were made of over a range, the most frequent value first: resumption of the handshakes that
 * offered a session, all else of the main ones. No rollup keeps it and raw results are many, so of each step the last round or rounds
 * of its probes, one each `periodSeconds`, are read, as far as they are kept at `now` (ms since 1970). Throws `invalid` for a range that is none.
 */
export async function readMakeup(
  target: WatchedTarget,
  { property, periodSeconds, ...asked }: Asked,
  { labels, selected }: Places,
  now = Date.now(),
): Promise<Makeup> {
  const range = resolveRange(asked);
  const step = stepOf(range);
  const rounds = Math.ceil(SAMPLE / Math.max(1, (selected ?? [...labels.keys()]).length));
  const sampleSeconds = Math.min(step, LATE_S + Math.max(60, periodSeconds) * rounds);
  const since = (await wholeSince(range.from * 1_000, now)) / 1_000;
  const slots = Array.from(
    { length: pointsIn(range, step) },
    (_, index) => (Math.floor(range.from / step) + index) * step,
  );
  const spans = slots
    .map((slot) => ({ slot, to: Math.min(slot + step, range.to) }))
    .map(({ slot, to }) => ({ slot, from: Math.max(to - sampleSeconds, since, range.from), to }))
    .filter(({ from, to }) => from < to);
  const counts = spans.length === 0 ? [] : await countValues(target.id, { property, spans, selected });
  const names = property === 'resumption' ? RESUMED : await stringsOf(new Set(counts.flatMap(([, id]) => id ?? [])));
  const bySlot = Map.groupBy(counts, ([slot]) => slot);
  const byValue = Map.groupBy(counts, ([, id]) => id);
  const sum = (rows: readonly Count[] = []) => rows.reduce((total, [, , n]) => total + n, 0);
  return {
    stepSeconds: step,
    sampleSeconds,
    lines: [...byValue]
      .toSorted(([, a], [, b]) => sum(b) - sum(a))
      .map(([id, rows]) => ({
        value: id === null ? 'none' : (names.get(id) ?? 'none'),
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

/** Handshakes of a slot with a value, by its id. */
type Count = [slot: number, id: number | null, n: number];
type Sampled = { property: ConnectionProperty; spans: (Range & { slot: number })[]; selected: string[] | null };

async function countValues(targetId: string, { property, spans, selected }: Sampled): Promise<Count[]> {
  const column = COLUMNS[property];
  return await queryResults<Count>({
    spans: spans.map(({ from, to }) => ({ targetId, from: from * 1_000, to: to * 1_000 })),
    columns: [column],
    text: (
      result,
    ) => `select slot, value, count(*)::int from unnest($1::uuid[], $2::int[], $3::float8[], $4::float8[]) as span (target_id, slot, since, until)
      cross join lateral (
        select target_id, ${column}::int as value from ${result} result
        where target_id = span.target_id and ok and coalesce(variant, 0) = $5::int
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
    ],
    rowMode: 'array',
  });
}
