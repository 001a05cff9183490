import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import { getPool } from './database.ts';

/** Strings and their ids, as far as this process has met them. Ids never change, so nothing goes stale. */
type Cache = { ids: Map<string, number>; values: Map<number, string> };

// Beyond this the cache starts anew: a prober that sends ever new strings must not fill the memory.
const MAX_CACHED = 200_000;
const caches = new WeakMap<Pool, Cache>();

function cacheOf(pool: Pool): Cache {
  const found = caches.get(pool);
  if (found && found.ids.size + found.values.size < MAX_CACHED) return found;
  const fresh = { ids: new Map(), values: new Map() };
  caches.set(pool, fresh);
  return fresh;
}

/** The ids this process knows; `learnStrings` adds to them. */
export function knownStrings(): ReadonlyMap<string, number> {
  return cacheOf(getPool()).ids;
}

/**
 * Gives each string its id, for `knownStrings` to hold. Commits on its own: a string whose result is then not stored
 * does no harm.
 */
export async function learnStrings(strings: Set<string>): Promise<void> {
  const pool = getPool();
  const cache = cacheOf(pool);
  const entries = [...strings].map((raw) => ({ raw, value: storable(raw) }));
  const hashes = entries.map(({ value }) => createHash('sha256').update(value).digest());
  // Ordered, so that two processes that learn the same strings never wait for each other in a ring.
  await pool.query(
    `insert into dictionary (hash, value)
      select hash, value from unnest($1::bytea[], $2::text[]) as new (hash, value)
      where not exists (select from dictionary known where known.hash = new.hash)
      order by hash on conflict (hash) do nothing`,
    [hashes, entries.map(({ value }) => value)],
  );
  const { rows } = await pool.query<{ id: number; value: string }>(
    'select id, value from dictionary where hash = any($1::bytea[])',
    [hashes],
  );
  const ids = new Map(rows.map((row) => [row.value, row.id]));
  for (const { raw, value } of entries) {
    const id = ids.get(value);
    if (id !== undefined) cache.ids.set(raw, id);
  }
}

/** The strings of these ids. */
export async function stringsOf(ids: Set<number>): Promise<ReadonlyMap<number, string>> {
  const pool = getPool();
  const { values } = cacheOf(pool);
  const missing = [...ids].filter((id) => !values.has(id));
  if (missing.length === 0) return values;
  const { rows } = await pool.query<{ id: number; value: string }>(
    'select id, value from dictionary where id = any($1::int[])',
    [missing],
  );
  for (const row of rows) values.set(row.id, row.value);
  return values;
}

/** PostgreSQL's text holds neither NUL nor half a surrogate pair: both become U+FFFD. */
export function storable(value: string): string {
  return value.toWellFormed().replaceAll('\0', '\uFFFD');
}
