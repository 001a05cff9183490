import type { Writable } from 'node:stream';
import type pg from 'pg';
import * as copyStreams from 'pg-copy-streams';
import {
  BackupError,
  COUNTS,
  type Entry,
  jsonBytes,
  MANIFEST,
  type Manifest,
  type RowCounts,
  writeEntries,
} from './backup-file.ts';
import { connectAlone } from './connection.ts';
import { inOrder } from './foreign-keys.ts';
import { migratedTables } from './migrate.ts';
import { migrationNames } from './schema-version.ts';

/**
 * Writes a backup of a database to a stream and says how many rows each table had. It is of one instant, while Roundtrip goes
 * on. On a cluster each node has an instant of its own: stop web and jobs first. The schema may be of an earlier version.
 * @throws BackupError where the database holds nothing, or what this version does not know
 */
export async function writeBackup(url: string, to: Writable): Promise<RowCounts> {
  const client = await connectAlone(url);
  try {
    // Where there is none, nothing can be locked.
    await migrationsOf(client);
    const citus = await client.query(`select from pg_extension where extname = 'citus'`);
    await client.query('begin isolation level repeatable read, read only');
    // Before the snapshot, which the first query takes: rows of a day sealed after it would be gone from it (TRUNCATE). On a
    // cluster nothing is sealed.
    if (!citus.rowCount) await client.query('lock table result, result_evidence, result_block in access share mode');
    const counts: RowCounts = {};
    await writeEntries(to, entriesOf(client, await manifestOf(client), counts));
    return counts;
  } finally {
    await client.end();
  }
}

/** Chunks of a COPY are taken as they come, so many bytes at most and those of one read: as much is held in memory. */
const PART_BYTES = 4 * 1024 * 1024;

/** All of a backup; `counts` are filled on the way. */
async function* entriesOf(client: pg.Client, manifest: Manifest, counts: RowCounts): AsyncGenerator<Entry, void> {
  yield [MANIFEST, jsonBytes(manifest)];
  for (const { name, columns } of manifest.tables) {
    const rows = `select ${columns.map((column) => `"${column}"`).join(', ')} from "${name}"`;
    const options = { highWaterMark: PART_BYTES };
    const copy = client.query(copyStreams.to(`copy (${rows}) to stdout (format binary)`, options));
    let part = 0;
    for await (const bytes of copy) yield [`${name}.${String(++part).padStart(6, '0')}`, bytes];
    counts[name] = copy.rowCount;
  }
  yield [COUNTS, jsonBytes(counts)];
}

async function migrationsOf(client: pg.Client): Promise<string[]> {
  const nothing = new BackupError('The database holds nothing of Roundtrip: there is nothing to back up.');
  const { rows: there } = await client.query(`select where to_regclass('_prisma_migrations') is not null`);
  if (there.length === 0) throw nothing;
  const { rows } = await client.query<{ name: string }>(
    `select migration_name as name from _prisma_migrations where finished_at is not null and rolled_back_at is null
      order by migration_name`,
  );
  if (rows.length === 0) throw nothing;
  const known = migrationNames();
  const unknown = rows.find(({ name }) => !known.includes(name));
  if (unknown)
    throw new BackupError(
      `The database is of another version (it has the migration ${unknown.name}): back it up with that version.`,
    );
  return rows.map(({ name }) => name);
}

async function manifestOf(client: pg.Client): Promise<Manifest> {
  const migrations = await migrationsOf(client);
  const tables = await inOrder(client, [...(await migratedTables(migrations.at(-1)))].sort());
  const ask = async <T extends pg.QueryResultRow>(text: string, values: unknown[] = [tables]) =>
    (await client.query<T>(text, values)).rows;
  return {
    migrations,
    createdAt: new Date().toISOString(),
    tables: await ask(
      `select relname::text as name, array_agg(attname::text order by attnum) as columns
        from pg_class join pg_attribute on attrelid = pg_class.oid
        where relnamespace = current_schema()::regnamespace and relname = any($1)
          and attnum > 0 and not attisdropped and attgenerated = ''
        group by relname order by array_position($1, relname::text)`,
    ),
    partitions: await ask(
      `select parent.relname::text as table, bounds[1] as lower, bounds[2] as upper
        from pg_inherits join pg_class parent on parent.oid = inhparent join pg_class child on child.oid = inhrelid
          cross join regexp_match(pg_get_expr(child.relpartbound, child.oid), $$[(]'(.+)'[)] TO [(]'(.+)'[)]$$) as bounds
        where parent.relnamespace = current_schema()::regnamespace and parent.relname = any($1) and parent.relkind = 'p'
          and not inhdetachpending
        order by child.relname`,
    ),
    sequences: await ask(
      `select sequencename::text as name, last_value::text as value from pg_sequences
        where schemaname = current_schema() and last_value is not null order by sequencename`,
      [],
    ),
  };
}
