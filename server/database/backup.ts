import type { Readable, Writable } from 'node:stream';
import type pg from 'pg';
import * as copyStreams from 'pg-copy-streams';
import { BackupError, BackupWriter, type Manifest, type RowCounts, STAGED } from './backup-file.ts';
import { connectAlone } from './connection.ts';
import { inOrder } from './foreign-keys.ts';
import { migratedTables } from './migrate.ts';
import { migrationNames } from './schema-version.ts';

/**
 * Writes a backup of a database to a stream and says how many rows each table had. It is of one instant, while Roundtrip goes
 * on. On a cluster each node has an instant of its own: stop web and jobs first. The schema may be of any version.
 */
export async function writeBackup(url: string, to: Writable): Promise<RowCounts> {
  const client = await connectAlone(url);
  try {
    const lock = await lockOf(client);
    await client.query('begin isolation level repeatable read, read only');
    // Before the snapshot, which the first query takes: rows of a day sealed after it would be gone from it (TRUNCATE).
    if (lock) await client.query(lock);
    const manifest = await manifestOf(client);
    const writer = new BackupWriter(to);
    await writer.json(manifest);
    const counts: RowCounts = {};
    for (const { name, columns } of manifest.tables) counts[name] = await copyOut(client, name, columns, writer);
    await writer.json(counts);
    await writer.finish();
    return counts;
  } finally {
    await client.end();
  }
}

/** Keeps results from being sealed; null where nothing is sealed: a cluster, or none of the tables. */
async function lockOf(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ name: string }>(
    `select name from unnest($1::text[]) as name where to_regclass(name) is not null
      and not exists (select from pg_extension where extname = 'citus')`,
    [['result', 'result_evidence', 'result_block']],
  );
  return rows.length > 0 ? `lock table ${rows.map(({ name }) => name).join(', ')} in access share mode` : null;
}

async function copyOut(client: pg.Client, table: string, columns: string[], writer: BackupWriter): Promise<number> {
  const stream = client.query(
    copyStreams.to(`copy (select ${columns.map(quoted).join(', ')} from ${quoted(table)}) to stdout (format binary)`),
  );
  for await (const chunk of stream as Readable) await writer.frame(chunk as Buffer);
  await writer.frame(Buffer.alloc(0));
  return stream.rowCount;
}

const quoted = (name: string) => `"${name}"`;

async function manifestOf(client: pg.Client): Promise<Manifest> {
  const ask = async <T extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
    (await client.query<T>(text, values)).rows;
  const [there] = await ask<{ there: boolean }>(`select to_regclass('_prisma_migrations') is not null as there`);
  if (!there?.there) throw new BackupError('The database holds nothing of Roundtrip: there is nothing to back up.');
  const migrations = await ask<{ name: string }>(
    `select migration_name as name from _prisma_migrations where finished_at is not null and rolled_back_at is null
      order by migration_name`,
  );
  const columns = await ask<{ name: string; columns: string[] }>(
    `select relname::text as name, array_agg(attname::text order by attnum) as columns
      from pg_class join pg_attribute on attrelid = pg_class.oid
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
        and relname <> '_prisma_migrations' and attnum > 0 and not attisdropped and attgenerated = ''
        and not (relkind = 'r' and relname ~ $1)
        and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')
      group by relname`,
    [STAGED],
  );
  const isOurs = await oursOf(migrations.map(({ name }) => name));
  const byName = new Map(columns.flatMap((table) => (isOurs(table.name) ? [[table.name, table] as const] : [])));
  const partitions = await ask<{ table: string; bounds: string }>(
    `select inhparent::regclass::text as table, pg_get_expr(relpartbound, pg_class.oid) as bounds
      from pg_inherits join pg_class on pg_class.oid = inhrelid
      where relnamespace = current_schema()::regnamespace and relispartition and relkind = 'r'
        and not inhdetachpending order by relname`,
  );
  const sequences = await ask<{ name: string; value: string }>(
    `select sequencename::text as name, last_value::text as value from pg_sequences
      where schemaname = current_schema() and last_value is not null and not exists (
        select from pg_depend join pg_class on pg_class.oid = refobjid
          where objid = format('%I.%I', schemaname, sequencename)::regclass and deptype in ('a', 'i')
            and refclassid = 'pg_class'::regclass and relname <> all($1))
      order by sequencename`,
    [[...byName.keys()]],
  );
  return {
    migrations: migrations.map(({ name }) => name),
    createdAt: new Date().toISOString(),
    tables: (await inOrder(client, [...byName.keys()].sort())).flatMap((name) => byName.get(name) ?? []),
    partitions: partitions.flatMap(({ table, bounds }) => (byName.has(table) ? [{ table, ...boundsOf(bounds) }] : [])),
    sequences,
  };
}

/** Which tables are Roundtrip's: those that the migrations make, all of them where some are of a newer version. */
async function oursOf(migrations: string[]): Promise<(table: string) => boolean> {
  const known = new Set(migrationNames());
  if (migrations.some((name) => !known.has(name))) return () => true;
  const tables = await migratedTables(migrations.at(-1));
  return (table) => tables.has(table);
}

function boundsOf(text: string): { lower: string; upper: string } {
  const [, lower, upper] = /FROM \('([^']+)'\) TO \('([^']+)'\)/.exec(text) ?? [];
  if (lower === undefined || upper === undefined) throw new Error(`a partition has bounds that are no range: ${text}`);
  return { lower, upper };
}
