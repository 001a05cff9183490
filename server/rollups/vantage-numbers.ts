import { getPool, openDatabase } from '#server/database/database.ts';

// Numbers of vantages by id, as far as this process has met them. They never change, and none is given twice.
const known = new WeakMap<object, Map<string, number>>();

/** What stands for each of these vantages in rollups; ids that are not there are left out. */
export async function vantageNumbers(ids: Iterable<string>): Promise<ReadonlyMap<string, number>> {
  const database = openDatabase();
  const found = known.get(database);
  if (found && everyIn(ids, found)) return found;
  const { rows } = await getPool().query<{ id: string; number: number }>('select id, number from vantage');
  const fresh = new Map(rows.map(({ id, number }) => [id, number]));
  known.set(database, fresh);
  return fresh;
}

function everyIn(ids: Iterable<string>, map: ReadonlyMap<string, number>): boolean {
  for (const id of ids) if (!map.has(id)) return false;
  return true;
}
