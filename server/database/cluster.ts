import { getPool, openDatabase } from './database.ts';

const asked = new WeakMap<object, Promise<boolean>>();

/** Whether this database is cut in shards (distribution.ts); asked once a process. */
export function isCluster(): Promise<boolean> {
  const database = openDatabase();
  const known = asked.get(database) ?? ask();
  asked.set(database, known);
  // Asked again after an error.
  known.catch(() => asked.delete(database));
  return known;
}

async function ask(): Promise<boolean> {
  const { rows } = await getPool().query(`select from pg_extension where extname = 'citus'`);
  return rows.length > 0;
}
