import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { isCluster } from '#server/database/cluster.ts';
import { getPool, inTransaction } from '#server/database/database.ts';
import { lock } from '#server/database/lock.ts';
import { BLOCK_ROWS, dayOfPartition, daysIn, SETTLE_MS } from './blocks.ts';
import { type Field, packRows, type SealedRow, timeOfId } from './pack.ts';

const DAY_MS = 86_400_000;
/** Rows that are read at once, of about 2 kB each. */
const ROWS_AT_ONCE = 5 * BLOCK_ROWS;
/** How long sealing waits for whoever writes to a day's rows: then it is tried again later. */
const WAITS_MS = 3_000;
/** The same for whoever reads them, behind which everybody else who reads waits meanwhile. */
const WAITS_FOR_READERS_MS = 200;
/** Pause before a day whose rows were in use is tried again. */
const PAUSE_MS = 1_000;
/** How often a day is counted, and targets that changed meanwhile are packed anew, before it is left for later. */
const MOST_ROUNDS = 10;

/** How sealing goes on; `step` is called where a crash may come between (for tests). */
export type SealOptions = { signal?: AbortSignal; step?: (name: string) => void };

/**
 * Seals every day that is over and not sealed yet, the oldest first, and packs what came late for days that are. Says how many
 * results it packed. One process does it at a time: the caller sees to that.
 */
export async function sealDays(now: number, options: SealOptions = {}): Promise<number> {
  // On a cluster days stay rows: a day is put in place on one node alone.
  if (await isCluster()) return 0;
  let packed = 0;
  const failures: unknown[] = [];
  const sealed = new Set(await daysIn('result_block'));
  const days = await daysIn('result');
  const over = days.filter((day) => day + DAY_MS + SETTLE_MS <= now).reverse();
  await dropStagedBut(days.filter((day) => !sealed.has(day)));
  for (const day of over) {
    if (options.signal?.aborted) break;
    try {
      packed += sealed.has(day) ? await sealLate(day, options) : await sealDay(day, options);
    } catch (error) {
      failures.push(error); // the other days are sealed all the same
    }
  }
  if (failures.length > 0) throw failures[0];
  return packed;
}

/** Where a day is packed: a name of its own, so that a day that another process has sealed meanwhile is never touched. */
const STAGED = 'sealing';
/** Which targets got results meanwhile, a row each. */
const LATE = 'sealing_late';

/** Drops what was left of days that are gone, or sealed: on these is no trigger any more, which must never find its table gone. */
async function dropStagedBut(days: readonly number[]): Promise<void> {
  const { rows } = await getPool().query<{ name: string }>(
    `select relname as name from pg_class
      where relkind = 'r' and relnamespace = to_regnamespace(current_schema()) and relname ~ '^(${STAGED}|${LATE})_p\\d{8}$'`,
  );
  for (const { name } of rows)
    if (!days.includes(dayOfPartition(name))) await getPool().query(`drop table if exists "${name}"`);
}

const named = (table: string, day: number) =>
  `"${table}_p${new Date(day).toISOString().slice(0, 10).replaceAll('-', '')}"`;

/**
 * Packs a day into a table beside the others, then puts that in place of the rows in one transaction: either all of the day is
 * rows or all is sealed. Until then nothing of it counts, and a table that an earlier try left is made anew. The rows are not
 * deleted one by one: their pages go with TRUNCATE, and the failed results are written back.
 *
 * From before the rows are counted a trigger notes who gets more of them. What was counted without its having noted
 * anything since is complete, so that under the lock nothing is counted, however many results the day has.
 */
async function sealDay(day: number, { signal, step }: SealOptions): Promise<number> {
  if ((await inTransaction((client) => stage(client, day)).catch(unlessBusy)) === null) return 0;
  step?.('staged table');
  for (let round = 0; round < MOST_ROUNDS; round++) {
    // A note that is written and not yet committed stays, and so does any that comes.
    await getPool().query(`delete from ${named(LATE, day)}`);
    const targets = await unlike(getPool(), day);
    for (const targetId of targets) {
      if (signal?.aborted) return 0;
      await getPool().query(`delete from ${named(STAGED, day)} where target_id = $1`, [targetId]);
      await packDay(day, targetId, step);
    }
    // What was packed is counted once more: behind the swap it could not be.
    if (targets.length > 0) continue;
    const packed = await swap(day, step).catch(unlessBusy);
    if (packed !== null) return packed;
    await sleep(PAUSE_MS, undefined, signal && { signal }).catch(() => {});
  }
  return 0;
}

/** Waits for whoever writes to the day: all that comes behind is noted. What an earlier try left is made anew, but for the trigger. */
async function stage(client: PoolClient, day: number): Promise<true> {
  await client.query(
    `set local lock_timeout = ${WAITS_MS};
     drop table if exists ${named(STAGED, day)};
     create table ${named(STAGED, day)} (like result_block including all);
     create table if not exists ${named(LATE, day)} (target_id uuid not null);
     create or replace trigger ${LATE} after insert on ${named('result', day)}
       for each row execute function note_late_result(${named(LATE, day).replaceAll('"', "'")})`,
  );
  return true;
}

/** The targets of which not just the successful results of a day are packed. */
async function unlike(db: Pick<PoolClient, 'query'>, day: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select coalesce(stored.target_id, packed.target_id) as id
      from (select target_id, count(*) as n from ${named('result', day)} where ok group by target_id) stored
      full join (select target_id, sum(count) as n from ${named(STAGED, day)} group by target_id) packed
        using (target_id)
      where stored.n is distinct from packed.n`,
  );
  return rows.map(({ id }) => id);
}

/** Packs a target's successful results of a day, in the order of time. */
async function packDay(day: number, targetId: string, step: SealOptions['step']): Promise<void> {
  let behind = { at: new Date(day), id: LEAST_ID };
  for (;;) {
    const { rows, fields } = await getPool().query<SealedRow>(
      `select r.*, e.evidence from (
          select * from ${named('result', day)} where target_id = $1 and ok and (started_at, id) > ($2, $3)
          order by started_at, id limit ${ROWS_AT_ONCE}) r
        left join ${named('result_evidence', day)} e
          on e.target_id = r.target_id and e.started_at = r.started_at and e.id = r.id
        order by r.started_at, r.id`,
      [targetId, behind.at, behind.id],
    );
    await insertBlocks(getPool(), named(STAGED, day), targetId, rows, fields);
    step?.('packed');
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_AT_ONCE) return;
    behind = { at: last.started_at, id: last.id };
  }
}

const LEAST_ID = '00000000-0000-0000-0000-000000000000';

/** Whether somebody got results since the rows were counted. */
async function isNoted(client: PoolClient, day: number): Promise<boolean> {
  const { rows } = await client.query<{ noted: boolean }>(`select exists (select from ${named(LATE, day)}) as noted`);
  return rows[0]?.noted ?? true;
}

/** Puts the packed day in place of its rows; null where they are no longer the same. */
async function swap(day: number, step: SealOptions['step']): Promise<number | null> {
  const [rows, evidence, blocks] = ['result', 'result_evidence', 'result_block'].map((table) => named(table, day));
  return await inTransaction(async (client) => {
    await client.query(`set local lock_timeout = ${WAITS_MS}`);
    await lock(client, 'sealing');
    if ((await daysIn('result_block', client)).includes(day)) return 0; // another process was faster
    // Nobody writes to the day from here on, and everybody still reads it.
    await client.query(`lock table ${rows}, ${evidence} in share row exclusive mode`);
    if (await isNoted(client, day)) return null;
    step?.('locked');
    const kept = 'target_id, started_at, id';
    // Along the index of failed results, whatever the planner thinks that there are.
    await client.query(
      `set local enable_seqscan = off;
       create temporary table kept on commit drop as select * from ${rows} where not ok;
       analyze kept;
       create temporary table kept_evidence on commit drop as
         select e.* from kept join ${evidence} e using (${kept});
       set local enable_seqscan = on`,
    );
    await client.query(`set local lock_timeout = ${WAITS_FOR_READERS_MS}`);
    await client.query(`lock table ${rows}, ${evidence} in access exclusive mode`);
    await client.query(`set local lock_timeout = ${WAITS_MS}`);
    await client.query(
      `drop trigger ${LATE} on ${rows};
       drop table ${named(LATE, day)};
       truncate ${rows}, ${evidence};
       insert into ${rows} select * from kept; insert into ${evidence} select * from kept_evidence;
       drop table kept, kept_evidence`,
    );
    step?.('truncated');
    await client.query(
      `alter table ${named(STAGED, day)} rename to ${blocks};
       alter table result_block attach partition ${blocks} for values from ('${instantOf(day)}') to ('${instantOf(day + DAY_MS)}')`,
    );
    step?.('attached');
    const { rows: sums } = await client.query<{ n: number }>(`select coalesce(sum(count), 0)::int as n from ${blocks}`);
    return sums[0]?.n ?? 0;
  });
}

/** Somebody uses the rows of the day, longer than it is waited for. */
function unlessBusy(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === '55P03') return null;
  throw error;
}

const instantOf = (ms: number) => new Date(ms).toISOString();

/** Packs what came for a day after it was sealed, a target a transaction: few rows, which are deleted. */
async function sealLate(day: number, { signal, step }: SealOptions): Promise<number> {
  const { rows: late } = await getPool().query<{ id: string }>(
    `select distinct target_id as id from ${named('result', day)} where ok`,
  );
  let packed = 0;
  for (const { id } of late) {
    if (signal?.aborted) return packed;
    // A bounded number at a time: a prober may have been away for the whole day.
    for (let moved = ROWS_AT_ONCE; moved === ROWS_AT_ONCE; packed += moved) moved = await moveLate(day, id, step);
  }
  return packed;
}

async function moveLate(day: number, targetId: string, step: SealOptions['step']): Promise<number> {
  return await inTransaction(async (client) => {
    await lock(client, 'sealing');
    const { rows, fields } = await client.query<SealedRow>(
      `with late as (
          select target_id, started_at, id from ${named('result', day)} where target_id = $1 and ok
          order by started_at, id limit ${ROWS_AT_ONCE}),
        gone as (delete from ${named('result', day)} r using late
          where r.target_id = late.target_id and r.started_at = late.started_at and r.id = late.id returning r.*),
        evidence as (delete from ${named('result_evidence', day)} e using late
          where e.target_id = late.target_id and e.started_at = late.started_at and e.id = late.id returning e.*)
      select gone.*, evidence.evidence from gone left join evidence using (target_id, started_at, id)
      order by gone.started_at, gone.id`,
      [targetId],
    );
    step?.('deleted');
    await insertBlocks(client, named('result_block', day), targetId, rows, fields);
    step?.('moved');
    return rows.length;
  });
}

/** Packs rows of a target, in the order of time, into blocks of `table`. */
async function insertBlocks(
  db: Pick<PoolClient, 'query'>,
  table: string,
  targetId: string,
  rows: readonly SealedRow[],
  fields: readonly Field[],
): Promise<void> {
  for (let at = 0; at < rows.length; at += BLOCK_ROWS) {
    const some = rows.slice(at, at + BLOCK_ROWS);
    const [first, last] = [some[0], some.at(-1)];
    if (!first || !last) return;
    const byVantage = some.toSorted(
      (a, b) => compare(String(a.vantage_id), String(b.vantage_id)) || a.started_at.getTime() - b.started_at.getTime(),
    );
    const { codec, ids, data } = packRows(byVantage, fields);
    const times = some.map(({ id }) => timeOfId(id));
    await db.query(
      `insert into ${table} (target_id, first_at, first_id, last_at, count, variants, vantages, id_from, id_to, codec, ids, data)
        values ($1, $2, $3, $4, $5, $6, array(select number from vantage where id = any($7::uuid[]) order by number),
          $8, $9, $10, $11, $12)`,
      [
        targetId,
        first.started_at,
        first.id,
        last.started_at,
        some.length,
        some.reduce((bits, { variant }) => bits | (1 << Number(variant ?? 0)), 0),
        [...new Set(some.map(({ vantage_id }) => vantage_id))],
        Math.min(...times),
        Math.max(...times),
        codec,
        ids,
        data,
      ],
    );
  }
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
