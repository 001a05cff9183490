import type { PoolClient } from 'pg';
import { isCommittedEverywhere } from '#server/database/cluster.ts';
import { getPool, inTransaction } from '#server/database/database.ts';
import { tryLock } from '#server/database/lock.ts';
import { ensurePartitions, forgetPartitions } from '#server/database/partitions.ts';
import { computeCoarser } from './coarser.ts';
import { computeMinutes } from './minutes.ts';
import { type Bucket, writeRows } from './rollup-rows.ts';
import { writeTallies } from './staples.ts';
import { TIERS, type Tier } from './tiers.ts';

// Results summed up by minute, ten minutes, hour and day, as histograms that can be merged. The life of a rollup: a batch of
// results is stored and, in the same transaction, the minutes that it falls in are written to a log (`logMinutes`,
// `rollup_log`). A minute is computed once it is over: the jobs process pumps (`pumpRollups`), takes the minutes that are over
// out of the log and marks them (`rollup_dirty`), and computes what is marked and due, a set of targets at a time: minutes from
// the results (minutes.ts, with the staples of the minute in staples.ts), tens from the minutes, hours from the tens, days from
// the hours (coarser.ts). A row holds the cells of all vantages of one metric (rollup-rows.ts, analysis/cells.ts) and replaces the
// one before. What is computed marks the coarser buckets around it; these wait until they are over, so that they are computed once.
// What comes late is computed at once.
//
// Readers (read.ts) cover a range with the coarsest buckets that are clean (segments.ts), and take the minutes that are not
// over from the results, so no reader waits for the pump. They merge histograms, never averages. tiers.ts names the tables;
// contract/vocabulary.ts the numbers of the metrics.

/** Most buckets computed in one transaction: about 10,000 results for 93 vantages, well under a second. */
const BUCKETS_AT_ONCE = 120;
const MINUTE_MS = 60_000;
/** A bucket waits this long after its end, so that it is computed once and not with every result. */
const SETTLE_SECONDS = 15;

/** `settled` computes buckets that would still wait; `signal` ends the turn after the transaction under way. */
export type PumpOptions = { settled?: boolean; signal?: AbortSignal };

/**
 * Computes the buckets that are due and says how many; 0 means there is nothing to do. Any number of processes may run
 * it: one computes at a time.
 */
export async function pumpRollups({ settled = false, signal }: PumpOptions = {}): Promise<number> {
  await closeMinutes(settled);
  const due = settled ? 'true' : 'ready_at <= now()';
  const { rows } = await getPool().query<{ step: number }>(
    `select distinct step from rollup_dirty where step = any($1::int[]) and ${due}`,
    [TIERS.map(({ step }) => step)],
  );
  const steps = new Set(rows.map(({ step }) => step));
  let computed = 0;
  for (const tier of TIERS) {
    if (signal?.aborted) return computed;
    if (steps.has(tier.step)) computed += await pumpTier(tier, due);
  }
  return computed;
}

/** How long ago, s, the oldest was due of what is not computed: minutes that are over and still open, and what is marked. */
export async function rollupLag(): Promise<number> {
  const { rows } = await getPool().query<{ lag: number }>(
    `select greatest(0, extract(epoch from now()) - 60 * (1 + (select open_from from rollup_progress)),
        extract(epoch from now() - (select min(ready_at) from rollup_dirty)))::float8 as lag`,
  );
  return rows[0]?.lag ?? 0;
}

/** Runs `pumpRollups` until nothing is left. */
export async function drainRollups(options: PumpOptions = {}): Promise<void> {
  while (!options.signal?.aborted && (await pumpRollups(options)) > 0);
}

/**
 * Takes the minutes that are over out of the log, and marks them. `open_from` says to readers which are not: they take these
 * from the results. It moves on with the marks and stops at what stays in the log, so that a minute that stands there in sight is
 * open. Only what is committed after its minute was closed is neither open nor marked, until the next turn takes it.
 */
async function closeMinutes(all: boolean): Promise<void> {
  await getPool().query(
    `with clock as (select floor((extract(epoch from now()) - ${SETTLE_SECONDS}) / 60)::int as minute),
      taken as (delete from rollup_log using clock where ${all ? 'true' : 'rollup_log.minute < clock.minute'}
        and ${isCommittedEverywhere('rollup_log')} returning rollup_log.id, rollup_log.minute, target_ids),
      marked as (
        insert into rollup_dirty (target_id, step, bucket)
        select distinct target.id, 60, to_timestamp(minute::bigint * 60)
        from taken cross join unnest(target_ids) as target_id join target on target.id = target_id),
      closed as (
        select least(minute, (select min(minute) from rollup_log where id not in (select id from taken))) as minute from clock)
      update rollup_progress set open_from = minute from closed where open_from < minute`,
  );
}

async function pumpTier(tier: Tier, due: string): Promise<number> {
  return await inTransaction(async (client) => {
    // Two could compute one bucket from different states of the results, and the older might be written last.
    if (!(await tryLock(client, 'rollup'))) return 0;
    const buckets = await claim(client, tier, due);
    if (buckets.length === 0) return 0;
    const tables = tier === TIERS[0] ? ([tier.table, 'staple_minute'] as const) : [tier.table];
    await ensurePartitions(
      buckets.map(({ bucket }) => bucket * 1_000),
      tables,
    );
    const finer = TIERS[TIERS.indexOf(tier) - 1];
    if (finer) await writeRows(client, tier, await computeCoarser(client, tier, finer, buckets));
    else await pumpMinutes(client, tier, buckets);
    await markCoarser(client, tier, buckets);
    return buckets.length;
  }).catch((error: unknown) => {
    forgetPartitions(); // another process may have dropped one: the next turn makes it
    throw error;
  });
}

async function pumpMinutes(client: PoolClient, tier: Tier, minutes: readonly Bucket[]): Promise<void> {
  const { rows, tallies } = await computeMinutes(client, minutes);
  await writeRows(client, tier, rows);
  await writeTallies(client, minutes, tallies);
}

/**
 * Takes the newest due buckets out of the marks. A mark and its results commit together, so what is taken out here is seen
 * by the queries after; what comes later is marked again, for the next turn. A bucket waits while one of a finer tier in it is
 * due: it is computed from that.
 */
async function claim(client: PoolClient, tier: Tier, due: string): Promise<Bucket[]> {
  const { rows } = await client.query<Bucket>(
    `with claimed as (
        select distinct target_id, bucket from rollup_dirty coarse
        where step = $1 and ${due} and not exists (
          select from rollup_dirty finer where finer.target_id = coarse.target_id and finer.step < $1
            and finer.bucket >= coarse.bucket and finer.bucket < coarse.bucket + $1 * interval '1 second')
        order by bucket desc, target_id desc limit ${BUCKETS_AT_ONCE}),
      taken as (
        delete from rollup_dirty marked using claimed
        where marked.target_id = claimed.target_id and step = $1 and marked.bucket = claimed.bucket)
      select target_id as "targetId", extract(epoch from bucket)::int as bucket from claimed`,
    [tier.step],
  );
  return rows;
}

/** Marks every coarser bucket around these, unless it is marked; until it is computed, readers use the minutes. */
async function markCoarser(client: PoolClient, tier: Tier, buckets: readonly Bucket[]): Promise<void> {
  const coarser = TIERS.filter(({ step }) => step > tier.step).map(({ step }) => step);
  if (coarser.length === 0) return;
  await client.query(
    `insert into rollup_dirty (target_id, step, bucket, ready_at)
      select target_id, step, to_timestamp(bucket), greatest(to_timestamp(bucket + step), now()) + $4 * interval '1 second'
      from (select distinct target_id, step, bucket / step * step as bucket
        from unnest($1::uuid[], $2::int[]) as computed (target_id, bucket), unnest($3::int[]) as step) as around
      where (target_id, step, to_timestamp(bucket)) not in (
        select target_id, step, bucket from rollup_dirty where target_id = any($1::uuid[]) and step = any($3::int[]))`,
    [buckets.map(({ targetId }) => targetId), buckets.map(({ bucket }) => bucket), coarser, SETTLE_SECONDS],
  );
}

/**
 * Writes to the log, in the transaction that stores them, which minutes of which targets these results fall in: a row a
 * minute. A plain append: ingest never waits for another batch nor for the job that computes.
 */
export async function logMinutes(
  client: PoolClient,
  results: readonly { targetId: string; startedAt: string }[],
): Promise<void> {
  const byMinute = new Map<number, Set<string>>();
  for (const { targetId, startedAt } of results) {
    const minute = Math.floor(Date.parse(startedAt) / MINUTE_MS);
    byMinute.set(minute, (byMinute.get(minute) ?? new Set()).add(targetId));
  }
  if (byMinute.size === 0) return;
  const rows = [...byMinute].map(([minute, targetIds]) => ({ minute, target_ids: [...targetIds] }));
  await client.query(
    `insert into rollup_log (minute, target_id, target_ids)
      select minute, target_ids[1], target_ids from json_to_recordset($1) as new (minute int, target_ids uuid[])`,
    [JSON.stringify(rows)],
  );
}
