import type { PoolClient } from 'pg';
import { type Counts, emptyCounts, writeCounts, writeValue } from '#analysis/cells.ts';
import { VarintWriter } from '#analysis/varint.ts';
import { MEASURED_VARIANTS, METRIC_TABLE, METRICS, type MeasuredVariant } from '#contract/vocabulary.ts';
import { queryResults } from '#server/blocks/read.ts';
import { VARIANT_CODES } from '#server/database/codes.ts';
import { stringsOf } from '#server/database/dictionary.ts';
import type { Bucket, RollupRow } from './rollup-rows.ts';
import { StapleTallies, type StapleTally } from './staples.ts';
import { ONE_BY_ONE, rowNumber, thousandthsOf } from './tiers.ts';

/** What the results of some minutes amount to. */
type Minutes = { rows: RollupRow[]; tallies: StapleTally[] };

type Row = [
  /** The place of its minute in the list of those that are asked for, from 1 on. */
  due: number,
  vantage: number,
  ok: boolean,
  clean: boolean,
  failureSourceId: number | null,
  stapleStatusId: number | null,
  peerAddressId: number | null,
  certificateId: number | null,
  variant: number,
  ...thousandths: (number | null)[],
];

const COLUMNS = [
  'staple_status_id',
  'peer_address_id',
  'certificate_id',
  'variant',
  ...METRICS.map((metric) => METRIC_TABLE[metric].column),
];

const NEEDED = ['target_id', 'vantage_id', 'ok', 'clean', 'failure_source_id', ...COLUMNS].join(', ');
/** In SQL: whether a row of `result` is of a handshake that has statistics. */
const HAS_STATISTICS = `coalesce(variant, 0) in (${MEASURED_VARIANTS.map((variant) => VARIANT_CODES[variant]).join(', ')})`;
const DUE = 'unnest($1::uuid[], $2::int[]) with ordinality as minute (target_id, bucket, due)';

/** What is sealed is gone through once, not once a minute: each result knows its own. */
const sealedOf = (sealed: string) => `union all select minute.due, ${NEEDED.replace('target_id', 'r.target_id')}
  from ${sealed} r join ${DUE} on minute.target_id = r.target_id
    and minute.bucket = floor(extract(epoch from r.started_at) / 60)::int * 60
  where ${HAS_STATISTICS}`;

/** The metrics of a row of `result`, in thousandths of their units. */
const THOUSANDTHS = METRICS.map((metric) => thousandthsOf(metric, 'r.')).join(', ');

/**
 * The rows of these minutes, computed from the results themselves. What follows a main handshake (resumed, RSA, ECDSA, a second
 * request) is another measurement, and its failure no failure of the check: it has rows of its own.
 */
export async function computeMinutes(client: PoolClient, minutes: readonly Bucket[]): Promise<Minutes> {
  const question = {
    spans: minutes.map(({ targetId, bucket }) => ({ targetId, from: bucket * 1_000, to: (bucket + 60) * 1_000 })),
    columns: COLUMNS,
    apart: true as const,
    text: (
      result: string,
      sealed: string | null,
    ) => `select due::int, v.number, r.ok, r.clean, r.failure_source_id, r.staple_status_id, r.peer_address_id, r.certificate_id,
        coalesce(r.variant, 0)::int, ${THOUSANDTHS}
      from (select minute.due, r.* from ${DUE} cross join lateral (
          select ${NEEDED} from ${result} result where target_id = minute.target_id and ${HAS_STATISTICS}
            and started_at >= to_timestamp(minute.bucket) and started_at < to_timestamp(minute.bucket + 60)
          ${ONE_BY_ONE}) r
        ${sealed ? sealedOf(sealed) : ''}) r join vantage v on v.id = r.vantage_id`,
    values: [minutes.map(({ targetId }) => targetId), minutes.map(({ bucket }) => bucket)],
    rowMode: 'array' as const,
  };
  const rows = await queryResults<Row>(question, client);
  const strings = await stringsOf(new Set(rows.flatMap((row) => [row[4] ?? [], row[5] ?? []].flat())));
  const found: RollupRow[] = [];
  const tallies = new StapleTallies();
  for (const [due, ofMinute] of Map.groupBy(rows, ([due]) => due)) {
    const minute = minutes[due - 1] as Bucket;
    const ofVariant = Map.groupBy(ofMinute, (row) => row[8]);
    for (const variant of MEASURED_VARIANTS) {
      const results = ofVariant.get(VARIANT_CODES[variant]);
      if (results) found.push(...rowsOf(minute, results, strings, variant));
    }
    for (const row of ofVariant.get(VARIANT_CODES.main) ?? []) addStaple(tallies, minute, row, strings);
  }
  return { rows: found, tallies: tallies.all() };
}

/** A failed or unclean result is counted and nothing more: its times are not what the target's users see. */
function rowsOf(
  { targetId, bucket }: Bucket,
  results: readonly Row[],
  sources: ReadonlyMap<number, string>,
  variant: MeasuredVariant,
) {
  const outcomes = new VarintWriter();
  const values = METRICS.map(() => new VarintWriter());
  for (const [, vantage, ok, clean, failureSourceId, , , , , ...thousandths] of results) {
    writeCounts(outcomes, vantage, outcomeOf(ok, clean, failureSourceId, sources));
    if (!ok || !clean) continue;
    values.forEach((writer, index) => {
      const value = thousandths[index] ?? null;
      if (value !== null) writeValue(writer, vantage, value);
    });
  }
  const rows: RollupRow[] = [{ targetId, bucket, metric: rowNumber(null, variant), cells: outcomes.take() }];
  values.forEach((writer, index) => {
    const metric = METRICS[index];
    if (metric && writer.length > 0)
      rows.push({ targetId, bucket, metric: rowNumber(metric, variant), cells: writer.take() });
  });
  return rows;
}

/** The counts of one result. */
export function outcomeOf(
  ok: boolean,
  clean: boolean,
  failureSourceId: number | null,
  sources: ReadonlyMap<number, string>,
): Counts {
  const counts = { ...emptyCounts(), total: 1, ok: ok ? 1 : 0, unclean: clean ? 0 : 1 };
  if (!ok) counts[failedBy(failureSourceId === null ? undefined : sources.get(failureSourceId))] = 1;
  return counts;
}

function failedBy(source: string | undefined): 'failedTarget' | 'failedResolver' | 'failedProber' {
  if (source === 'resolver') return 'failedResolver';
  return source === 'prober' ? 'failedProber' : 'failedTarget';
}

/** A status of these is of no server in particular. */
const TELLS_NOTHING: ReadonlySet<string | undefined> = new Set(['not_applicable', 'not_observed']);

function addStaple(tallies: StapleTallies, minute: Bucket, row: Row, strings: ReadonlyMap<number, string>): void {
  const [, , , clean, , stapleStatusId, peerAddressId, certificateId] = row;
  if (stapleStatusId === null || !clean) return;
  const telling = !TELLS_NOTHING.has(strings.get(stapleStatusId));
  tallies.add(minute, peerAddressId, certificateId, stapleStatusId, telling);
}
