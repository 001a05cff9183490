import { createHash } from 'node:crypto';
import { getPool, openDatabase } from './database.ts';

/** Strings and their ids, as far as this process has met them. Ids never change, so nothing goes stale. */
type Cache = { ids: Map<string, number>; values: Map<number, string>; characters: number };

// Beyond either the cache is emptied: a prober that sends ever new strings must not fill the memory.
const MAX_CACHED = 200_000;
const MAX_CACHED_CHARACTERS = 16 * 1024 * 1024;
const caches = new WeakMap<object, Cache>();

function cacheHere(): Cache {
  const database = openDatabase();
  const found = caches.get(database);
  const fits = found && found.ids.size + found.values.size < MAX_CACHED && found.characters < MAX_CACHED_CHARACTERS;
  if (fits) return found;
  const fresh: Cache = { ids: new Map(), values: new Map(), characters: 0 };
  caches.set(database, fresh);
  return fresh;
}

/** The ids this process knows; `findStrings` and `addStrings` add to them. */
export function knownStrings(): ReadonlyMap<string, number> {
  return cacheHere().ids;
}

type Row = { id: number; value: string };

/** The ids of those of these strings that are stored. */
export async function findStrings(strings: Iterable<string>): Promise<Map<string, number>> {
  const { rows } = await getPool().query<Row>('select id, value from dictionary where hash = any($1::bytea[])', [
    Array.from(strings, hashOf),
  ]);
  return remember(rows);
}

/**
 * Stores strings in one statement and gives their ids. Commits on its own: a string whose result is then not stored does
 * no harm.
 */
export async function addStrings(strings: string[]): Promise<Map<string, number>> {
  const { rows } = await getPool().query<Row>(
    // Ordered, so that two processes that learn the same strings never wait for each other in a ring.
    `insert into dictionary (hash, value)
      select hash, value from unnest($1::bytea[], $2::text[]) as new (hash, value)
      order by hash on conflict (hash) do nothing returning id, value`,
    [strings.map(hashOf), strings],
  );
  const ids = remember(rows);
  if (ids.size === strings.length) return ids;
  // Another process was faster with these.
  const others = await findStrings(strings.filter((value) => !ids.has(value)));
  return new Map([...ids, ...others]);
}

const hashOf = (value: string) => createHash('sha256').update(value).digest();

function remember(rows: Row[]): Map<string, number> {
  const cache = cacheHere();
  for (const { id, value } of rows) {
    if (!cache.ids.has(value)) cache.characters += value.length;
    cache.ids.set(value, id);
  }
  return new Map(rows.map(({ id, value }) => [value, id]));
}

/** The strings of these ids. */
export async function stringsOf(ids: Set<number>): Promise<ReadonlyMap<number, string>> {
  const cache = cacheHere();
  const missing = [...ids].filter((id) => !cache.values.has(id));
  if (missing.length === 0) return cache.values;
  const { rows } = await getPool().query<Row>('select id, value from dictionary where id = any($1::int[])', [missing]);
  for (const { id, value } of rows) {
    cache.values.set(id, value);
    cache.characters += value.length;
  }
  return cache.values;
}
