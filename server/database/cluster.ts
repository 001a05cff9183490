import type { Pool } from 'pg';
import { getPool } from './database.ts';

const asked = new WeakMap<Pool, Promise<boolean>>();

/** Whether this database is cut in shards (distribution.ts); asked once a process. */
export function isCluster(): Promise<boolean> {
  const pool = getPool();
  const known = asked.get(pool) ?? ask(pool);
  asked.set(pool, known);
  // Asked again after an error.
  known.catch(() => asked.delete(pool));
  return known;
}

async function ask(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query(`select from pg_extension where extname = 'citus'`);
  return rows.length > 0;
}
