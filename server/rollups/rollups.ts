import type { PoolClient } from 'pg';
import { getPool, inTransaction } from '#server/database/database.ts';
import { tryLock } from '#server/database/lock.ts';
import { ensurePartitions } from '#server/database/partitions.ts';
import { writeCells } from './cell.ts';
import { computeCoarser } from './coarser.ts';
import { computeMinutes } from './minutes.ts';
import { writeTallies } from './staples.ts';
import { TIERS, type Tier } from './tiers.ts';

// The life of a rollup. A batch of results is stored and, in the same transaction, the minutes that it falls in are marked
// (`markDirty`). The jobs process pumps (`pumpRollups`): of each target with marks that are due it takes
// the newest buckets, under a lock of the target, and computes them anew, minutes from the results (minutes.ts, with the
// staples of the minute in staples.ts), tens from the minutes and hours from the tens (coarser.ts). Each bucket has a cell a
// vantage: counts, and a histogram a metric (cell.ts), which replaces the one before. What is computed marks the coarser
// buckets around it; these wait until they are over, so that they are computed once.
//
// Readers (read.ts) cover a range with the coarsest buckets that are clean (segments.ts), so nobody waits for the pump, and
// merge histograms, never averages. tiers.ts names the three tables; contract/vocabulary.ts the columns of their metrics.

/** Most buckets computed in one transaction: about 10,000 results for 93 vantages, well under a second. */
const BUCKETS_AT_ONCE = 120;
const MINUTE_MS = 60_000;
/** A ten and an hour wait this long after their end, so that they are computed once and not with every result. */
const SETTLE_SECONDS = 15;

/** `settled` computes tens and hours that would still wait; `signal` ends the turn after the transaction under way. */
export type PumpOptions = { settled?: boolean; signal?: AbortSignal };

/**
 * Computes the buckets that are due and says how many; 0 means there is nothing to do. Any number of processes may run
 * it: a target is one process's at a time.
 */
export async function pumpRollups(options: PumpOptions = {}): Promise<number> {
  const due = options.settled ? 'true' : 'ready_at <= now()';
  const { rows } = await getPool().query<{ id: string }>(
    `select distinct target_id as id from rollup_dirty where ${due}`,
  );
  let computed = 0;
  for (const { id } of rows) {
    for (const tier of TIERS) {
      if (options.signal?.aborted) return computed;
      computed += await pumpTier(id, tier, due);
    }
  }
  return computed;
}

/** Runs `pumpRollups` until nothing is left. */
export async function drainRollups(options: PumpOptions = {}): Promise<void> {
  while (!options.signal?.aborted && (await pumpRollups(options)) > 0);
}

async function pumpTier(targetId: string, tier: Tier, due: string): Promise<number> {
  return await inTransaction(async (client) => {
    // Two could compute one bucket from different states of the results, and the older might be written last.
    if (!(await tryLock(client, 'rollup', targetId))) return 0;
    const buckets = await claim(client, targetId, tier, due);
    if (buckets.length === 0) return 0;
    await ensurePartitions(buckets.map((bucket) => bucket * 1_000));
    const finer = TIERS[TIERS.indexOf(tier) - 1];
    if (finer) await writeCells(client, tier, targetId, await computeCoarser(client, targetId, tier, finer, buckets));
    else await pumpMinutes(client, targetId, tier, buckets);
    await markCoarser(client, targetId, tier, buckets);
    return buckets.length;
  });
}

async function pumpMinutes(client: PoolClient, targetId: string, tier: Tier, minutes: number[]): Promise<void> {
  const { cells, tallies } = await computeMinutes(client, targetId, minutes);
  await writeCells(client, tier, targetId, cells);
  await writeTallies(client, targetId, minutes, tallies);
}

/**
 * Takes the newest due buckets out of the log, in seconds since 1970. A mark and its results commit together, so what is
 * taken out here is seen by the queries after; what comes later stays in the log for the next turn. A bucket waits while
 * one of a finer tier in it is due: it is computed from that.
 */
async function claim(client: PoolClient, targetId: string, tier: Tier, due: string): Promise<number[]> {
  const { rows } = await client.query<{ bucket: number }>(
    `with claimed as (
        select distinct bucket from rollup_dirty coarse
        where target_id = $1 and step = $2 and ${due} and not exists (
          select from rollup_dirty finer where finer.target_id = $1 and finer.step < $2
            and finer.bucket >= coarse.bucket and finer.bucket < coarse.bucket + $2 * interval '1 second')
        order by bucket desc limit ${BUCKETS_AT_ONCE}),
      taken as (
        delete from rollup_dirty using claimed
        where target_id = $1 and step = $2 and rollup_dirty.bucket = claimed.bucket)
      select extract(epoch from bucket)::int as bucket from claimed`,
    [targetId, tier.step],
  );
  return rows.map((row) => row.bucket);
}

/** Marks every coarser bucket around these, unless it is marked; until it is computed, readers use the minutes. */
async function markCoarser(client: PoolClient, targetId: string, tier: Tier, buckets: number[]): Promise<void> {
  for (const { step } of TIERS.filter((other) => other.step > tier.step)) {
    await client.query(
      `insert into rollup_dirty (target_id, step, bucket, ready_at)
        select $1, $2::int, to_timestamp(bucket), greatest(to_timestamp(bucket + $2::int), now()) + $4 * interval '1 second'
        from (select distinct bucket / $2::int * $2::int as bucket from unnest($3::int[]) as bucket) as coarse
        where not exists (select from rollup_dirty known where known.target_id = $1 and known.step = $2::int
          and known.bucket = to_timestamp(coarse.bucket))`,
      [targetId, step, buckets, SETTLE_SECONDS],
    );
  }
}

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
