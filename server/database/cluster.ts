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

/**
 * In SQL: all that was written with a row of this table of the coordinator can be seen. A row can be seen as soon as the coordinator
 * has committed; on other nodes what was written with it is committed after that, and the transaction keeps its number locked until
 * then. On one machine there is no time between the two.
 */
export const isCommittedEverywhere = (table: string): string => `not exists (
  select from pg_locks where locktype = 'transactionid' and transactionid = ${table}.xmin)`;
