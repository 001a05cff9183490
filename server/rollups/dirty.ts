import type { PoolClient } from 'pg';

const MINUTE_MS = 60_000;

/**
 * Notes, in the transaction that stores them, that the minutes of these results are to be computed anew. A plain
 * append: ingest never waits for another batch nor for the job that computes.
 */
export async function markDirty(client: PoolClient, results: { targetId: string; startedAt: string }[]): Promise<void> {
  const minutes = new Map<string, Set<number>>();
  for (const { targetId, startedAt } of results) {
    const ofTarget = minutes.get(targetId) ?? new Set();
    minutes.set(targetId, ofTarget.add(Math.floor(Date.parse(startedAt) / MINUTE_MS)));
  }
  const rows = [...minutes].flatMap(([target, buckets]) => [...buckets].map((bucket) => ({ target, bucket })));
  await client.query(
    `insert into rollup_dirty (target_id, step, bucket)
      select target_id, 60, to_timestamp(minute * 60) from unnest($1::uuid[], $2::bigint[]) as new (target_id, minute)`,
    [rows.map((row) => row.target), rows.map((row) => row.bucket)],
  );
}
