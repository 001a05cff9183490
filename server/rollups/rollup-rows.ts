import type { PoolClient } from 'pg';
import { addCounts, type Counts, countsByVantage, emptyCounts, wholeOf } from '#analysis/cells.ts';
import { areOutcomes, type Tier } from './tiers.ts';

/** A bucket of a target; `bucket` is its beginning in seconds since 1970. */
export type Bucket = { targetId: string; bucket: number };
/** What all vantages measured of a metric in a bucket: `metric` is a number of tiers.ts, `cells` as analysis/cells.ts writes them. */
export type RollupRow = Bucket & { metric: number; cells: Buffer };

/** Columns in the order in which the demo's past writes them. */
export const ROW_COLUMNS = [
  'target_id',
  'metric',
  'bucket',
  'cells',
  'total',
  'ok',
  'failed_prober',
  'unclean',
  'whole',
] as const;
const REPLACED = ROW_COLUMNS.slice(3);
const TYPES = ['uuid', 'smallint', 'bigint', 'bytea', 'int', 'int', 'int', 'int', 'bytea'];

/** The counts over all vantages, which rows of outcomes have beside their cells. */
export function sumsOf({ metric, cells }: Pick<RollupRow, 'metric' | 'cells'>): Counts | null {
  if (!areOutcomes(metric)) return null;
  const sums = emptyCounts();
  for (const counts of countsByVantage(cells).values()) addCounts(sums, counts);
  return sums;
}

/** The values over all vantages, which rows of metrics have beside their cells where a bucket is longer than a minute. */
export function wholeIn(tier: Tier, { metric, cells }: Pick<RollupRow, 'metric' | 'cells'>): Buffer | null {
  return areOutcomes(metric) || tier.step === 60 ? null : wholeOf(cells);
}

/** Puts rows into a tier in place of those that stood there. */
export async function writeRows(client: PoolClient, tier: Tier, rows: readonly RollupRow[]): Promise<void> {
  if (rows.length === 0) return;
  const sums = rows.map(sumsOf);
  const parameters = TYPES.map((type, index) => `$${index + 1}::${type}[]`).join(', ');
  await client.query(
    `insert into ${tier.table} (${ROW_COLUMNS.join(', ')})
      select target_id, metric, to_timestamp(bucket), ${REPLACED.join(', ')}
      from unnest(${parameters}) as new (${ROW_COLUMNS.join(', ')})
      on conflict (target_id, metric, bucket) do update
      set ${REPLACED.map((column) => `${column} = excluded.${column}`).join(', ')}`,
    [
      rows.map((row) => row.targetId),
      rows.map((row) => row.metric),
      rows.map((row) => row.bucket),
      rows.map((row) => row.cells),
      sums.map((sum) => sum?.total ?? null),
      sums.map((sum) => sum?.ok ?? null),
      sums.map((sum) => sum?.failedProber ?? null),
      sums.map((sum) => sum?.unclean ?? null),
      rows.map((row) => wholeIn(tier, row)),
    ],
  );
}
