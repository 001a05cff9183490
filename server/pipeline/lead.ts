import type { PoolClient } from 'pg';
import { getPool } from '#server/database/database.ts';

/** The connection that holds the lock of the one process that detects; null where another process holds it. */
export async function lead(): Promise<PoolClient | null> {
  const client = await getPool().connect();
  try {
    const { rows } = await client.query<{ locked: boolean }>(
      `select pg_try_advisory_lock(hashtext('detection')) as locked`,
    );
    if (rows[0]?.locked) return client;
    client.release();
    return null;
  } catch (error) {
    client.release(true);
    throw error;
  }
}
