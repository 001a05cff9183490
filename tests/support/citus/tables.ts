import pg from 'pg';
import { DISTRIBUTION } from '#server/database/distribution.ts';
import type { Catalog } from './checker.ts';
import { mutableFunctions } from './volatility.ts';

/** In the environment of test files, since nobody may be connected to the template while it is cloned. */
const VARIABLE = 'ROUNDTRIP_TEST_CATALOG';
type Noted = { columns: Record<string, string[]>; mutable: string[] };

/** Notes the columns of all tables, and which functions are not immutable, for the test files of this run. */
export async function noteCatalog(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; columns: string[] }>(
      `select relname as name, array_agg(attname::text) as columns from pg_class join pg_attribute on attrelid = pg_class.oid
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and attnum > 0
        group by relname`,
    );
    const columns = Object.fromEntries(rows.map(({ name, columns }) => [name, columns]));
    process.env[VARIABLE] = JSON.stringify({ columns, mutable: await mutableFunctions(client) } satisfies Noted);
  } finally {
    await client.end();
  }
}

/** The tables of this version, and the functions of PostgreSQL, as the checker takes them. */
export function knownCatalog(): Catalog {
  const noted: Noted = { columns: {}, mutable: [], ...JSON.parse(process.env[VARIABLE] ?? '{}') };
  const placed: Record<string, string> = DISTRIBUTION;
  const tables = Object.entries(noted.columns).map(
    ([name, of]) => [name, { distributed: placed[name] === 'target', columns: new Set(of) }] as const,
  );
  return { tables: new Map(tables), mutable: new Set(noted.mutable) };
}
