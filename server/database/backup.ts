import type { Readable, Writable } from 'node:stream';
import pg from 'pg';
import * as copyStreams from 'pg-copy-streams';
import { BackupError, BackupWriter, type Manifest, type RowCounts } from './backup-file.ts';
import { inOrder } from './foreign-keys.ts';

/** What is asked before the copy takes no longer, ms; the copy itself has no limit. */
const ANSWER_MS = 10_000;

/**
 * Writes a backup of a database to a stream and says how many rows each table had. It is of one instant, while Roundtrip goes
 * on. On a cluster each node has an instant of its own: stop web and jobs first. The schema may be of any version.
 */
export async function writeBackup(url: string, to: Writable): Promise<RowCounts> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: ANSWER_MS });
  await client.connect();
  try {
    await client.query('begin isolation level repeatable read, read only');
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
  const ask = async <T extends pg.QueryResultRow>(text: string) => (await client.query<T>(text)).rows;
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
        and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')
      group by relname`,
  );
  const partitions = await ask<{ table: string; bounds: string }>(
    `select inhparent::regclass::text as table, pg_get_expr(relpartbound, pg_class.oid) as bounds
      from pg_inherits join pg_class on pg_class.oid = inhrelid
      where relnamespace = current_schema()::regnamespace and relispartition and relkind = 'r' order by relname`,
  );
  const sequences = await ask<{ name: string; value: string }>(
    `select sequencename::text as name, last_value::text as value from pg_sequences
      where schemaname = current_schema() and last_value is not null order by sequencename`,
  );
  const byName = new Map(columns.map((table) => [table.name, table]));
  return {
    migrations: migrations.map(({ name }) => name),
    createdAt: new Date().toISOString(),
    tables: (await inOrder(client, [...byName.keys()].sort())).flatMap((name) => byName.get(name) ?? []),
    partitions: partitions.map(({ table, bounds }) => ({ table, ...boundsOf(bounds) })),
    sequences,
  };
}

function boundsOf(text: string): { lower: string; upper: string } {
  const [, lower, upper] = /FROM \('([^']+)'\) TO \('([^']+)'\)/.exec(text) ?? [];
  if (lower === undefined || upper === undefined) throw new Error(`a partition has bounds that are no range: ${text}`);
  return { lower, upper };
}
