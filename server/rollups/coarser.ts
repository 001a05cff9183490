import type { PoolClient } from 'pg';
import { emptyHistogram } from '#analysis/histogram.ts';
import { encodeHistogram, mergeEncoded } from '#analysis/histogram-codec.ts';
import { COUNTS, type EncodedCell } from './cell.ts';
import { HISTOGRAM_COLUMNS, ONE_BY_ONE, type Tier } from './tiers.ts';

/** The cells of these buckets (seconds since 1970) of a tier, merged from the tier below it. */
export async function computeCoarser(
  client: PoolClient,
  targetId: string,
  tier: Tier,
  finer: Tier,
  buckets: number[],
): Promise<EncodedCell[]> {
  const { rows } = await client.query<[number, string, ...unknown[]]>({
    text: `select new.bucket, vantage_id, ${COUNTS.map((column) => `sum(${column})::int`).join(', ')},
        ${HISTOGRAM_COLUMNS.map((column) => `string_agg(${column}, ''::bytea)`).join(', ')}
      from unnest($2::int[]) as new (bucket) cross join lateral (
        select * from ${finer.table} where target_id = $1
          and bucket >= to_timestamp(new.bucket) and bucket < to_timestamp(new.bucket + ${tier.step}) ${ONE_BY_ONE}) finer
      group by new.bucket, vantage_id`,
    values: [targetId, buckets],
    rowMode: 'array',
  });
  return rows.map(([bucket, vantageId, ...values]) => ({
    bucket,
    vantageId,
    counts: values.slice(0, COUNTS.length).map(Number),
    summaries: values.slice(COUNTS.length).map(compact),
  }));
}

/** Many histograms laid end to end, as one. */
function compact(bytes: unknown): Buffer | null {
  if (!(bytes instanceof Uint8Array)) return null;
  const histogram = emptyHistogram();
  mergeEncoded(histogram, bytes);
  return encodeHistogram(histogram);
}
