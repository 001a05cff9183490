import pg from 'pg';
import { DISTRIBUTION } from '#server/database/distribution.ts';
import type { Tables } from './checker.ts';

/** In the environment of test files, since nobody may be connected to the template while it is cloned. */
const VARIABLE = 'ROUNDTRIP_TEST_COLUMNS';

/** Notes the columns of all tables for the test files of this run. */
export async function noteColumns(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; columns: string[] }>(
      `select relname as name, array_agg(attname::text) as columns from pg_class join pg_attribute on attrelid = pg_class.oid
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and attnum > 0
        group by relname`,
    );
    process.env[VARIABLE] = JSON.stringify(Object.fromEntries(rows.map(({ name, columns }) => [name, columns])));
  } finally {
    await client.end();
  }
}

/** The tables of this version, as the checker takes them. */
export function knownTables(): Tables {
  const columns = JSON.parse(process.env[VARIABLE] ?? '{}') as Record<string, string[]>;
  const placed: Record<string, string> = DISTRIBUTION;
  return new Map(
    Object.entries(columns).map(([name, of]) => [
      name,
      { distributed: placed[name] === 'target', columns: new Set(of) },
    ]),
  );
}
