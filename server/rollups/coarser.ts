import type { PoolClient } from 'pg';
import { compactCounts, compactHistograms } from '#analysis/cells.ts';
import type { Bucket, RollupRow } from './rollup-rows.ts';
import { areOutcomes, ONE_BY_ONE, ROW_NUMBERS, type Tier } from './tiers.ts';

/** The rows of these buckets of a tier, merged from the tier below it. */
export async function computeCoarser(
  client: PoolClient,
  tier: Tier,
  finer: Tier,
  buckets: readonly Bucket[],
): Promise<RollupRow[]> {
  const { rows } = await client.query<RollupRow>(
    `select due.target_id as "targetId", due.bucket, metric, string_agg(cells, ''::bytea) as cells
      from unnest($1::uuid[], $2::int[]) as due (target_id, bucket) cross join lateral (
        select metric, cells from ${finer.table} where target_id = due.target_id and metric = any($3::smallint[])
          and bucket >= to_timestamp(due.bucket) and bucket < to_timestamp(due.bucket + ${tier.step}) ${ONE_BY_ONE}) finer
      group by due.target_id, due.bucket, metric`,
    [buckets.map(({ targetId }) => targetId), buckets.map(({ bucket }) => bucket), ROW_NUMBERS],
  );
  return rows.map((row) => ({
    ...row,
    cells: areOutcomes(row.metric) ? compactCounts(row.cells) : compactHistograms(row.cells),
  }));
}
