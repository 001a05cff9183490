import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { isCluster } from '#server/database/cluster.ts';
import { getPool, inTransaction } from '#server/database/database.ts';
import { lock } from '#server/database/lock.ts';
import { log } from '#server/environment/log.ts';
import {
  BLOCK_ROWS,
  DAY_MS,
  dayOfPartition,
  daysIn,
  partitionOf,
  SETTLE_MS,
  unlessBusy,
  WAITS_FOR_READERS_MS,
  WAITS_MS,
} from './blocks.ts';
import { partOdd } from './odd.ts';
import { type Field, packRows, type SealedRow, timeOfId } from './pack.ts';
import { leaveKept, lockOutReaders, lockOutWriters, setAside } from './rows.ts';

/** Rows that are read at once, of about 2 kB each. */
const ROWS_AT_ONCE = 5 * BLOCK_ROWS;
/** Pause before a day whose rows were in use is tried again. */
const PAUSE_MS = 1_000;
/** How often a day is counted, and targets that changed meanwhile are packed anew, before it is left for later. */
const MOST_ROUNDS = 10;
/** Results that may come for a day, or for a target of it, while it is packed and stay rows: they are written back while nobody reads. */
const MOST_LATE = 20_000;

/** How sealing goes on; `step` is called, and waited for, where a crash or another's change may come between (for tests). */
export type SealOptions = { signal?: AbortSignal; step?: (name: string) => unknown };

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
/** Which results came or went meanwhile, a row each. */
const LATE = 'sealing_late';

/** Drops what was left of days that are gone, or sealed; what is in use is left for the next time. */
async function dropStagedBut(days: readonly number[]): Promise<void> {
  const { rows } = await getPool().query<{ name: string }>(
    `select relname as name from pg_class
      where relkind = 'r' and relnamespace = to_regnamespace(current_schema()) and relname ~ '^(${STAGED}|${LATE})_p\\d{8}$'`,
  );
  for (const day of new Set(rows.map(({ name }) => dayOfPartition(name))))
    if (!days.includes(day)) await inTransaction((client) => dropStaged(client, day)).catch(unlessBusy);
}

/** A trigger is left where an earlier version has sealed the day since. It goes first: it must never find its table gone. */
async function dropStaged(client: PoolClient, day: number): Promise<void> {
  await client.query(`set local lock_timeout = ${WAITS_FOR_READERS_MS}`);
  const { rows } = await client.query(`select from pg_trigger where tgrelid = to_regclass($1) and tgname = '${LATE}'`, [
    partitionOf('result', day),
  ]);
  if (rows.length > 0) await client.query(`drop trigger ${LATE} on ${partitionOf('result', day)}`);
  await client.query(`drop table if exists ${partitionOf(STAGED, day)}, ${partitionOf(LATE, day)}`);
}

/**
 * Packs a day into a table beside the others, then puts that in place of the rows in one transaction: either all of the day is
 * rows or all is sealed. Until then nothing of it counts, and a table that an earlier try left is made anew. The rows are not
 * deleted one by one: their pages go with TRUNCATE, and the failed results are written back.
 *
 * From before the rows are counted a trigger notes which results come, or go. A note commits with its result, and each target is packed
 * as of one instant, at which the notes that are there by then are taken away: so the notes that are left are just of what is not
 * packed. Results that came stay rows, as those do that come after the day was sealed; where one went, its target is packed anew. So
 * however long results come for a day, they don't keep it from being sealed, and under the lock nothing is counted.
 */
async function sealDay(day: number, { signal, step }: SealOptions): Promise<number> {
  if ((await inTransaction((client) => stage(client, day)).catch(unlessBusy)) === null) return 0;
  await step?.('staged table');
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const targets = await unlike(getPool(), day);
    for (const targetId of targets) {
      if (signal?.aborted) return 0;
      await inTransaction((client) => packDay(client, day, targetId, step));
    }
    // What was packed is counted once more: behind the swap it could not be.
    if (targets.length > 0) continue;
    const packed = await swap(day, step).catch(unlessBusy);
    if (packed !== null) return packed;
    await sleep(PAUSE_MS, undefined, signal && { signal }).catch(() => {});
  }
  log.warn(
    { day: instantOf(day) },
    'a day of results could not be sealed, since it was in use all the time: it is tried again',
  );
  return 0;
}

/** Waits for whoever writes to the day: all that comes behind is noted. What an earlier try left is made anew, but for the trigger. */
async function stage(client: PoolClient, day: number): Promise<true> {
  const late = partitionOf(LATE, day);
  await client.query(
    `set local lock_timeout = ${WAITS_MS};
     drop table if exists ${partitionOf(STAGED, day)};
     create table ${partitionOf(STAGED, day)} (like result_block including all);
     create table if not exists ${late} (target_id uuid not null, started_at timestamptz not null, id uuid not null, gone boolean not null);
     create or replace trigger ${LATE} after insert or delete on ${partitionOf('result', day)}
       for each row execute function note_late_row(${late.replaceAll('"', "'")})`,
  );
  return true;
}

/**
 * The targets of which not just the successful results of a day are packed, but for those that are noted; and those of which one
 * has gone, or more have come than are to be written back while nobody may read.
 */
async function unlike(db: Pick<PoolClient, 'query'>, day: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select coalesce(stored.target_id, packed.target_id) as id
      from (select target_id, count(*) as n from ${partitionOf('result', day)} r
          where ok and not exists (select from ${partitionOf(LATE, day)} late
            where late.target_id = r.target_id and late.started_at = r.started_at and late.id = r.id)
          group by target_id) stored
      full join (select target_id, sum(count) as n from ${partitionOf(STAGED, day)} group by target_id) packed
        using (target_id)
      where stored.n is distinct from packed.n
      union
      select target_id from ${partitionOf(LATE, day)} group by target_id having bool_or(gone) or count(*) > ${MOST_LATE}`,
  );
  return rows.map(({ id }) => id);
}

/** Packs a target's successful results of a day, in the order of time, as of one instant, and takes away the notes of then. */
async function packDay(client: PoolClient, day: number, targetId: string, step: SealOptions['step']): Promise<void> {
  await client.query('set transaction isolation level repeatable read');
  await client.query(`delete from ${partitionOf(STAGED, day)} where target_id = $1`, [targetId]);
  await client.query(`delete from ${partitionOf(LATE, day)} where target_id = $1`, [targetId]);
  let behind = { at: new Date(day), id: LEAST_ID };
  const packing = new Packing(client, partitionOf(STAGED, day), targetId);
  for (;;) {
    const { rows, fields } = await client.query<SealedRow>(
      `select r.*, e.evidence from (
          select * from ${partitionOf('result', day)} where target_id = $1 and ok and (started_at, id) > ($2, $3)
          order by started_at, id limit ${ROWS_AT_ONCE}) r
        left join ${partitionOf('result_evidence', day)} e
          on e.target_id = r.target_id and e.started_at = r.started_at and e.id = r.id
        order by r.started_at, r.id`,
      [targetId, behind.at, behind.id],
    );
    await packing.add(rows, fields);
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_AT_ONCE) await packing.end(fields);
    await step?.('packed');
    if (!last || rows.length < ROWS_AT_ONCE) return;
    behind = { at: last.started_at, id: last.id };
  }
}

const LEAST_ID = '00000000-0000-0000-0000-000000000000';

/** Whether more has changed since the targets were packed than that some results came. */
async function mustPackAnew(client: PoolClient, day: number): Promise<boolean> {
  const { rows } = await client.query<{ anew: boolean }>(
    `select coalesce(bool_or(gone), false) or count(*) > ${MOST_LATE} as anew from ${partitionOf(LATE, day)}`,
  );
  return rows[0]?.anew ?? true;
}

/** Puts the packed day in place of its rows; null where it must be packed anew first. */
async function swap(day: number, step: SealOptions['step']): Promise<number | null> {
  const [rows, blocks, late] = ['result', 'result_block', LATE].map((table) => partitionOf(table, day)) as [
    string,
    string,
    string,
  ];
  return await inTransaction(async (client) => {
    await client.query(`set local lock_timeout = ${WAITS_MS}`);
    await lock(client, 'sealing');
    if ((await daysIn('result_block', client)).includes(day)) return 0; // another process was faster
    await lockOutWriters(client, day);
    if (await mustPackAnew(client, day)) return null;
    await step?.('locked');
    await setAside(client, day, late);
    await lockOutReaders(client, day);
    // Before rows are written back, of which it would note each.
    await client.query(`drop trigger ${LATE} on ${rows}; drop table ${late}`);
    await leaveKept(client, day);
    await step?.('truncated');
    await client.query(
      `alter table ${partitionOf(STAGED, day)} rename to ${blocks};
       alter table result_block attach partition ${blocks} for values from ('${instantOf(day)}') to ('${instantOf(day + DAY_MS)}')`,
    );
    await step?.('attached');
    const { rows: sums } = await client.query<{ n: number }>(`select coalesce(sum(count), 0)::int as n from ${blocks}`);
    return sums[0]?.n ?? 0;
  });
}

const instantOf = (ms: number) => new Date(ms).toISOString();

/** Packs what came for a day after it was sealed, a target a transaction: few rows, which are deleted. */
async function sealLate(day: number, { signal, step }: SealOptions): Promise<number> {
  const { rows: late } = await getPool().query<{ id: string }>(
    `select distinct target_id as id from ${partitionOf('result', day)} where ok`,
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
          select target_id, started_at, id from ${partitionOf('result', day)} where target_id = $1 and ok
          order by started_at, id limit ${ROWS_AT_ONCE}),
        gone as (delete from ${partitionOf('result', day)} r using late
          where r.target_id = late.target_id and r.started_at = late.started_at and r.id = late.id returning r.*),
        evidence as (delete from ${partitionOf('result_evidence', day)} e using late
          where e.target_id = late.target_id and e.started_at = late.started_at and e.id = late.id returning e.*)
      select gone.*, evidence.evidence from gone left join evidence using (target_id, started_at, id)
      order by gone.started_at, gone.id`,
      [targetId],
    );
    await step?.('deleted');
    const packing = new Packing(client, partitionOf('result_block', day), targetId);
    await packing.add(rows, fields);
    await packing.end(fields);
    await step?.('moved');
    return rows.length;
  });
}

type Db = Pick<PoolClient, 'query'>;

/** Rows of a target on their way into blocks of `table`: they come in the order of time. */
class Packing {
  readonly #db: Db;
  readonly #into: { table: string; targetId: string };
  /** Few a block, so they wait for others. */
  #odd: SealedRow[] = [];

  constructor(db: Db, table: string, targetId: string) {
    this.#db = db;
    this.#into = { table, targetId };
  }

  async add(rows: readonly SealedRow[], fields: readonly Field[]): Promise<void> {
    for (let at = 0; at < rows.length; at += BLOCK_ROWS) {
      const { usual, odd } = partOdd(rows.slice(at, at + BLOCK_ROWS));
      await insertBlock(this.#db, { ...this.#into, rows: usual, fields, odd: false });
      this.#odd.push(...odd);
      if (this.#odd.length >= BLOCK_ROWS) await this.end(fields);
    }
  }

  /** Packs what still waits. */
  async end(fields: readonly Field[]): Promise<void> {
    await insertBlock(this.#db, { ...this.#into, rows: this.#odd, fields, odd: true });
    this.#odd = [];
  }
}

type NewBlock = {
  table: string;
  targetId: string;
  rows: readonly SealedRow[];
  fields: readonly Field[];
  odd: boolean;
};

async function insertBlock(db: Db, { table, targetId, rows, fields, odd }: NewBlock): Promise<void> {
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) return;
  const byVantage = rows.toSorted(
    (a, b) => compare(String(a.vantage_id), String(b.vantage_id)) || a.started_at.getTime() - b.started_at.getTime(),
  );
  const { codec, ids, data } = packRows(byVantage, fields);
  const times = rows.map(({ id }) => timeOfId(id));
  await db.query(
    `insert into ${table} (target_id, first_at, first_id, last_at, count, variants, vantages, id_from, id_to, odd, codec, ids, data)
      values ($1, $2, $3, $4, $5, $6, array(select number from vantage where id = any($7::uuid[]) order by number),
        $8, $9, $10, $11, $12, $13)`,
    [
      targetId,
      first.started_at,
      first.id,
      last.started_at,
      rows.length,
      rows.reduce((bits, { variant }) => bits | (1 << Number(variant ?? 0)), 0),
      [...new Set(rows.map(({ vantage_id }) => vantage_id))],
      Math.min(...times),
      Math.max(...times),
      odd,
      codec,
      ids,
      data,
    ],
  );
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
