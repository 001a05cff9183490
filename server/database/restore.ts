import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import type pg from 'pg';
import * as copyStreams from 'pg-copy-streams';
import {
  BackupError,
  checkBackup,
  expectEnd,
  jsonOf,
  Manifest,
  type NextFrame,
  RowCounts,
  readFrames,
  STAGED,
  skipTable,
} from './backup-file.ts';
import { connectAlone } from './connection.ts';
import { migrate, migratedTables, prepareDatabase } from './migrate.ts';
import { foreignMigrations, migrationNames } from './schema-version.ts';

/** What a restore found in the way; `message` is a sentence for the person at the terminal. */
export class RestoreError extends Error {
  override readonly name = 'RestoreError';
}

/** `replace` deletes what the database holds. */
export type RestoreOptions = { replace?: boolean };
export type Restored = { manifest: Manifest; counts: RowCounts };

/**
 * Restores a backup into a database that nobody uses: it gets the schema that the backup is of, then the rows, all of them or
 * none, and is brought up to this version. Where the database has the extension Citus, it is distributed. A file, given by its
 * path, is read to its end before anything is changed; so is a stream where something is replaced, from a copy of it in the
 * folder for temporary files.
 * @throws BackupError for a file that is no whole backup
 * @throws RestoreError where the backup is of a newer version or has other tables, or the database is in use or holds something
 */
export async function restoreBackup(
  url: string,
  from: string | Readable,
  { replace = false }: RestoreOptions = {},
): Promise<Restored> {
  if (typeof from === 'string') return await restoreFile(url, from, replace);
  if (!replace) return await restore(url, from, replace);
  const folder = await mkdtemp(path.join(tmpdir(), 'roundtrip-restore-'));
  try {
    const copy = path.join(folder, 'backup');
    await pipeline(from, createWriteStream(copy, { mode: 0o600 })).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOSPC') throw error;
      throw new RestoreError(
        `${tmpdir()} has no room for the backup: set TMPDIR to another folder, or restore a file.`,
      );
    });
    return await restoreFile(url, copy, replace);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function restoreFile(url: string, file: string, replace: boolean): Promise<Restored> {
  await checkBackup(createReadStream(file));
  return await restore(url, createReadStream(file), replace);
}

async function restore(url: string, from: Readable, replace: boolean): Promise<Restored> {
  const frames = readFrames(from);
  const next = async () => (await frames.next()).value ?? undefined;
  const manifest = jsonOf(await next(), Manifest);
  checkVersion(manifest);
  await checkTables(manifest);
  const client = await connectAlone(url);
  try {
    await checkIdle(client);
    if (!replace) await checkEmpty(client);
    if (replace || (await hasOurs(client))) await clear(client);
    await prepareVersion(url, manifest);
    for (const { table, lower, upper } of manifest.partitions)
      await client.query('select ensure_partition($1, $2, $3)', [table, lower, upper]);
    const counts = await copyAll(client, manifest, next);
    await prepareDatabase(url);
    await client.query('analyze');
    return { manifest, counts };
  } finally {
    await client.end();
  }
}

/** The schema of the backup. An earlier one is distributed once it is brought up: what is said of shards is of this version. */
async function prepareVersion(url: string, { migrations }: Manifest): Promise<void> {
  const upTo = migrations.at(-1);
  if (upTo === migrationNames().at(-1)) await prepareDatabase(url);
  else await migrate(url, upTo);
}

/** Whether a migration, or a restore that did not come to its end, has been here. */
async function hasOurs(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    `select from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname = any($1)`,
    [['_prisma_migrations', ...(await migratedTables())]],
  );
  return rows.length > 0;
}

/** Takes away all that is not an extension's, or nothing. */
async function clear(client: pg.Client): Promise<void> {
  const own = (table: string) => `not exists (select from pg_depend where objid = ${table}.oid and deptype = 'e')`;
  const dropAll = async (what: string, text: string) => {
    const { rows } = await client.query<{ name: string }>(text);
    if (rows.length > 0) await client.query(`drop ${what} ${rows.map(({ name }) => name).join(', ')} cascade`);
  };
  const relations = (kinds: string) => `select oid::regclass::text as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = any('{${kinds}}') and not relispartition and ${own('pg_class')}`;
  await client.query('begin');
  // Of Citus, and of no effect without it: a function is not dropped after tables were in several connections.
  await client.query(`set local citus.multi_shard_modify_mode = 'sequential'`);
  await dropAll('table', relations('r,p'));
  await dropAll('sequence', relations('S'));
  await dropAll(
    'function',
    `select oid::regprocedure::text as name from pg_proc where pronamespace = 'public'::regnamespace and ${own('pg_proc')}`,
  );
  await client.query('commit');
}

function checkVersion({ migrations, createdAt }: Manifest): void {
  const [foreign] = foreignMigrations(migrations);
  if (foreign !== undefined)
    throw new RestoreError(
      `The backup of ${createdAt} is of an earlier tree of Roundtrip (it has the migration ${foreign}): this version cannot restore it.`,
    );
  const known = new Set(migrationNames());
  const unknown = migrations.find((name) => !known.has(name));
  if (unknown !== undefined)
    throw new RestoreError(
      `The backup of ${createdAt} is of a newer version (it has the migration ${unknown}): restore it with that version.`,
    );
}

const isStaged = (table: string) => new RegExp(STAGED).test(table);

async function checkTables({ migrations, tables, partitions, createdAt }: Manifest): Promise<void> {
  const known = await migratedTables(migrations.at(-1));
  const named = [
    ...tables.map(({ name }) => name).filter((name) => !isStaged(name)),
    ...partitions.map((of) => of.table),
  ];
  const unknown = named.find((name) => !known.has(name));
  if (unknown !== undefined)
    throw new RestoreError(`The backup of ${createdAt} has the table ${unknown}, which is none of Roundtrip's.`);
}

async function checkIdle(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity
      where datname = current_database() and application_name = 'roundtrip' and pid <> pg_backend_pid()`,
  );
  if ((rows[0]?.n ?? 0) > 0)
    throw new RestoreError('Roundtrip uses this database: stop it (web and jobs, or `roundtrip start`), then restore.');
}

/** Tables that a first start fills by itself. */
const FILLED_AT_START = [
  '_prisma_migrations',
  'rollup_progress',
  'setting',
  'heartbeat',
  'request_count',
  'detector_status',
];

/** All but the rules that a migration makes, as it made them. */
const EDITED_RULES = `where id::text not like '01940000-0000-7000-8000-%' or updated_at <> created_at or deleted_at is not null`;

async function checkEmpty(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select relname::text as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
        and relname <> all($1) and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')
      order by relname`,
    [FILLED_AT_START],
  );
  if (rows[0] && !(await hasOurs(client)))
    throw new RestoreError(
      `The database has tables of others (${rows[0].name}): restore into an empty one, or add --replace to delete what it holds.`,
    );
  for (const { name } of rows) {
    const { rows: held } = await client.query(
      `select from "${name}" ${name === 'alert_rule' ? EDITED_RULES : ''} limit 1`,
    );
    if (held.length > 0)
      throw new RestoreError(
        `The database is not empty (${name} has rows): restore into an empty one, or add --replace to delete what it holds.`,
      );
  }
}

/** The rows of all tables, in place of what there was, in one transaction; they are counted against what the backup says. */
async function copyAll(client: pg.Client, { tables, sequences }: Manifest, next: NextFrame): Promise<RowCounts> {
  // An error ends the connection, and the transaction with it.
  await client.query('begin');
  // What a migration writes is in the backup too, as it became.
  const stored = tables.filter(({ name }) => !isStaged(name)).map(({ name }) => `"${name}"`);
  await client.query(`truncate ${stored.join(', ')}`);
  const counts: RowCounts = {};
  for (const { name, columns } of tables) {
    if (isStaged(name)) {
      await skipTable(next);
      continue;
    }
    counts[name] = await copyIn(client, name, columns, next).catch((error: Error & { code?: string }) => {
      // Data exceptions, broken constraints, and what PostgreSQL says of a COPY that is none.
      const isData = /^(22|23|08P01)/.test(error.code ?? '');
      throw isData ? new BackupError(`the backup is damaged: ${name} cannot be stored (${error.message})`) : error;
    });
  }
  const expected = jsonOf(await next(), RowCounts);
  const wrong = Object.entries(expected).find(([name, n]) => !isStaged(name) && counts[name] !== n);
  if (wrong) throw new BackupError(`the backup is damaged: ${wrong[0]} has ${counts[wrong[0]]} of ${wrong[1]} rows`);
  await expectEnd(next);
  // One of a table of others is not here.
  for (const { name, value } of sequences)
    await client.query('select setval(to_regclass($1), $2)', [`"${name}"`, value]);
  await client.query('commit');
  return counts;
}

async function copyIn(client: pg.Client, table: string, columns: string[], next: NextFrame): Promise<number> {
  const names = columns.map((column) => `"${column}"`).join(', ');
  const stream = client.query(copyStreams.from(`copy "${table}" (${names}) from stdin (format binary)`));
  const done = finished(stream);
  done.catch(() => {});
  for (;;) {
    const frame = await next();
    if (frame === undefined) throw new BackupError('the backup was cut short');
    if (frame.length === 0) break;
    if (!stream.write(frame)) await Promise.race([new Promise((resolve) => stream.once('drain', resolve)), done]);
  }
  stream.end();
  await done;
  return stream.rowCount;
}
