import type { PoolClient } from 'pg';
import type { Prisma } from '#prisma/generated/client.ts';
import { getPool } from './database.ts';

// Advisory locks of PostgreSQL, by the name of what is done under them: one process does it at a time. `id` narrows a name to
// one thing of its kind. Older versions use the same keys, so that they may run beside this one for a while.

export type LockName =
  | 'rollup'
  | 'sealing'
  | 'sealer'
  | 'alert_rule'
  | 'check_revision'
  | 'detector_tick'
  | 'detection'
  | 'housekeeping'
  | 'measurement'
  | 'imported_vantage'
  | 'push'
  | 'conditional'
  | 'idempotency';

/** A transaction, ours or Prisma's. */
type Transaction = PoolClient | Prisma.TransactionClient;

const keyOf = (id: string | undefined) => (id === undefined ? 'hashtext($1)' : 'hashtext($1), hashtext($2)');

async function ask(db: Transaction, sql: string, values: string[]): Promise<{ locked: boolean }[]> {
  if ('$queryRawUnsafe' in db) return await db.$queryRawUnsafe<{ locked: boolean }[]>(sql, ...values);
  return (await db.query<{ locked: boolean }>(sql, values)).rows;
}

const valuesOf = (name: LockName, id: string | undefined) => (id === undefined ? [name] : [name, id]);

/** Waits for the lock, which lasts until the transaction ends. */
export async function lock(db: Transaction, name: LockName, id?: string): Promise<void> {
  await ask(db, `select pg_advisory_xact_lock(${keyOf(id)})::text as locked`, valuesOf(name, id));
}

/** Takes the lock until the transaction ends, unless another has it: then false. */
export async function tryLock(db: Transaction, name: LockName, id?: string): Promise<boolean> {
  const [row] = await ask(db, `select pg_try_advisory_xact_lock(${keyOf(id)}) as locked`, valuesOf(name, id));
  return row?.locked ?? false;
}

/**
 * Shares the locks of these ids with others who do, until the transaction ends, and keeps out who would take one alone. Returns the
 * ids whose lock another holds, or waits for, alone.
 */
export async function shareLocks(client: PoolClient, name: LockName, ids: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `select id from unnest($2::text[]) as id where not pg_try_advisory_xact_lock_shared(hashtext($1), hashtext(id))`,
    [name, ids],
  );
  return rows.map(({ id }) => id);
}

/**
 * A connection that holds the lock until `releaseLock`, or until it breaks; null where another holds it. For what one process
 * does as long as it lives.
 */
export async function lockConnection(name: LockName): Promise<PoolClient | null> {
  const client = await getPool().connect();
  try {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock(hashtext($1)) as locked', [
      name,
    ]);
    if (rows[0]?.locked) return client;
    client.release();
    return null;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** Gives such a lock back, and its connection up. */
export async function releaseLock(client: PoolClient | null): Promise<void> {
  // Closing the connection is what surely gives the lock back, but the server hears of it later than the next who asks.
  await client?.query('select pg_advisory_unlock_all()').catch(() => {});
  client?.release(true);
}
