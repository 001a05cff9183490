import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { isCluster } from '#server/database/cluster.ts';
import { getPool, inTransaction } from '#server/database/database.ts';
import { lock } from '#server/database/lock.ts';
import { log } from '#server/environment/log.ts';
import { BLOCK_ROWS, DAY_MS, daysIn, partitionOf, SETTLE_MS, unlessBusy, WAITS_MS } from './blocks.ts';
import { type Field, packRows, type SealedRow, timeOfId } from './pack.ts';
import { partRare } from './rare-results.ts';
import { leaveKept, lockOutReaders, lockOutWriters, setAside } from './swap-partition.ts';

/** Rows that are read at once, of about 2 kB each. */
const ROWS_AT_ONCE = 5 * BLOCK_ROWS;
/** How often a packed day waits for its readers, and how long it leaves others their turn in between (ms). */
const MOST_TRIES = 10;
const PAUSE_MS = 1_000;

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
  const over = (await daysIn('result')).filter((day) => day + DAY_MS + SETTLE_MS <= now).reverse();
  for (const day of over) {
    if (options.signal?.aborted) break;
    try {
      packed += sealed.has(day) ? await sealLate(day, options) : await sealDay(day, options);
    } catch (error) {
      if (options.signal?.aborted) break;
      failures.push(error); // the other days are sealed all the same
    }
  }
  if (failures.length > 0) throw failures[0];
  return packed;
}

async function sealDay(day: number, options: SealOptions): Promise<number> {
  const packed = await inTransaction((client) => packDay(client, day, options)).catch(unlessBusy);
  if (packed === null)
    log.warn({ day: instantOf(day) }, 'a day of results could not be sealed, since it was in use: it is tried again');
  return packed ?? 0;
}

/**
 * Packs a day into blocks and puts these in place of its rows, in one transaction: either all of the day is rows or all is
 * sealed. From its beginning the day is not written to: present writers are waited for, results that come are refused for
 * now (server/results/insert.ts), and a deletion waits and then finds blocks. Readers are locked out at the end alone. The
 * rows are not deleted one by one: their pages go with TRUNCATE, and the failed results are written back.
 */
async function packDay(client: PoolClient, day: number, options: SealOptions): Promise<number> {
  const { step } = options;
  await client.query(`set local lock_timeout = ${WAITS_MS}`);
  await lock(client, 'sealing', String(day));
  await lockOutWriters(client, day);
  if ((await daysIn('result_block', client)).includes(day)) return 0; // another process was faster
  await step?.('locked');
  const blocks = partitionOf('result_block', day);
  await client.query(`create table ${blocks} (like result_block including all)`);
  const { rows: targets } = await client.query<{ id: string; count: number }>(
    `select target_id as id, count(*)::int as count from ${partitionOf('result', day)} where ok group by target_id`,
  );
  for (const { id } of targets) await packTarget(client, day, id, options);
  const packed = await comparedCount(client, blocks, targets);
  await setAside(client, day);
  await withoutReaders(client, day, options);
  await leaveKept(client, day);
  await step?.('truncated');
  await client.query(
    `alter table result_block attach partition ${blocks} for values from ('${instantOf(day)}') to ('${instantOf(day + DAY_MS)}')`,
  );
  await step?.('attached');
  return packed;
}

/** How many results the blocks hold. Throws unless they are, target by target, as many as there were rows. */
async function comparedCount(
  client: PoolClient,
  blocks: string,
  targets: readonly { id: string; count: number }[],
): Promise<number> {
  const { rows } = await client.query<{ id: string; count: number }>(
    `select target_id as id, sum(count)::int as count from ${blocks} group by target_id`,
  );
  const packed = new Map(rows.map(({ id, count }) => [id, count]));
  for (const { id, count } of targets)
    if (packed.get(id) !== count)
      throw new Error(`of ${count} results of target ${id} ${packed.get(id) ?? 0} were packed into ${blocks}`);
  return targets.reduce((sum, { count }) => sum + count, 0);
}

/** Locks readers of a packed day out. Throws 55P03 where one was there at each try: what was packed is lost then. */
async function withoutReaders(client: PoolClient, day: number, { signal }: SealOptions): Promise<void> {
  await client.query('savepoint packed');
  for (let left = MOST_TRIES - 1; ; left--) {
    try {
      await lock(client, 'sealing');
      return await lockOutReaders(client, day);
    } catch (error) {
      if (left === 0) throw error;
      unlessBusy(error);
      await client.query('rollback to savepoint packed');
      await sleep(PAUSE_MS, undefined, signal && { signal });
    }
  }
}

/** Packs a target's successful results of a day, in the order of time. */
async function packTarget(
  client: PoolClient,
  day: number,
  targetId: string,
  { signal, step }: SealOptions,
): Promise<void> {
  let behind = { at: new Date(day), id: LEAST_ID };
  const packing = new Packing(client, partitionOf('result_block', day), targetId);
  for (;;) {
    signal?.throwIfAborted();
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
  #rare: SealedRow[] = [];

  constructor(db: Db, table: string, targetId: string) {
    this.#db = db;
    this.#into = { table, targetId };
  }

  async add(rows: readonly SealedRow[], fields: readonly Field[]): Promise<void> {
    for (let at = 0; at < rows.length; at += BLOCK_ROWS) {
      const { usual, rare } = partRare(rows.slice(at, at + BLOCK_ROWS));
      await insertBlock(this.#db, { ...this.#into, rows: usual, fields, odd: false });
      this.#rare.push(...rare);
      if (this.#rare.length >= BLOCK_ROWS) await this.end(fields);
    }
  }

  /** Packs what still waits. */
  async end(fields: readonly Field[]): Promise<void> {
    await insertBlock(this.#db, { ...this.#into, rows: this.#rare, fields, odd: true });
    this.#rare = [];
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
