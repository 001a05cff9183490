import type { PoolClient } from 'pg';
import { COUNTS, type EncodedCell } from './cell.ts';
import { HISTOGRAM_COLUMNS, type Tier } from './tiers.ts';

const VALUES = [...COUNTS, ...HISTOGRAM_COLUMNS];
const ROWS_AT_ONCE = 2_000;

/** Puts cells into a tier in place of what stood there. `bucket` is in seconds since 1970. */
export async function writeCells(
  client: PoolClient,
  tier: Tier,
  targetId: string,
  cells: EncodedCell[],
): Promise<void> {
  for (let at = 0; at < cells.length; at += ROWS_AT_ONCE) {
    await writeSome(client, tier, targetId, cells.slice(at, at + ROWS_AT_ONCE));
  }
}

async function writeSome(client: PoolClient, tier: Tier, targetId: string, cells: EncodedCell[]): Promise<void> {
  const counts = COUNTS.map((_, index) => cells.map((cell) => cell.counts[index] ?? 0));
  const summaries = HISTOGRAM_COLUMNS.map((_, index) => cells.map((cell) => cell.summaries[index] ?? null));
  const types = ['bigint[]', 'uuid[]', ...COUNTS.map(() => 'int[]'), ...HISTOGRAM_COLUMNS.map(() => 'bytea[]')];
  const parameters = types.map((type, index) => `$${index + 2}::${type}`).join(', ');
  await client.query(
    `insert into ${tier.table} (target_id, bucket, vantage_id, ${VALUES.join(', ')})
      select $1, to_timestamp(bucket), vantage_id, ${VALUES.join(', ')}
      from unnest(${parameters}) as new (bucket, vantage_id, ${VALUES.join(', ')})
      on conflict (target_id, bucket, vantage_id) do update
      set ${VALUES.map((column) => `${column} = excluded.${column}`).join(', ')}`,
    [targetId, cells.map((cell) => cell.bucket), cells.map((cell) => cell.vantageId), ...counts, ...summaries],
  );
}
