import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import * as copyStreams from 'pg-copy-streams';
import { BackupError, BackupReader, type Manifest, type RowCounts } from './backup-file.ts';
import { connectAlone } from './connection.ts';
import { migrate, migratedTables, prepareDatabase } from './migrate.ts';
import { foreignMigrations, migrationNames } from './schema-version.ts';

export type Restored = { manifest: Manifest; counts: RowCounts };

/**
 * Restores a backup into a database that is not in use: it gets the schema that the backup is of, then the rows, all of them or
 * none, and is brought up to this version. Where the database has the extension Citus, it is distributed. A file, given by its
 * path, is read to its end before anything is changed; so is a stream where something is replaced, from a copy of it in the
 * folder for temporary files. `replace` deletes what the database holds.
 * @throws BackupError where the file is no whole backup, is of a newer version or has other tables, or the database is in use
 *   or holds something
 */
export async function restoreBackup(
  url: string,
  from: string | Readable,
  { replace = false }: { replace?: boolean } = {},
): Promise<Restored> {
  if (typeof from === 'string') {
    await new BackupReader(createReadStream(from)).check();
    return await restore(url, createReadStream(from), replace);
  }
  if (!replace) return await restore(url, from, replace);
  const folder = await mkdtemp(path.join(tmpdir(), 'roundtrip-restore-'));
  try {
    const copy = path.join(folder, 'backup');
    await pipeline(from, createWriteStream(copy, { mode: 0o600 })).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOSPC') throw error;
      throw new BackupError(`${tmpdir()} has no room for the backup: set TMPDIR to another folder, or restore a file.`);
    });
    return await restoreBackup(url, copy, { replace });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function restore(url: string, from: Readable, replace: boolean): Promise<Restored> {
  const backup = new BackupReader(from);
  const manifest = await backup.manifest();
  await checkVersion(manifest);
  const client = await connectAlone(url);
  try {
    await checkIdle(client);
    const tables = await tablesOf(client);
    if (!replace) await checkEmpty(client, tables);
    if (replace || tables.length > 0) await clear(client);
    // An earlier version is distributed once it is brought up: what is said of shards is of this version.
    const upTo = manifest.migrations.at(-1);
    await (upTo === migrationNames().at(-1) ? prepareDatabase(url) : migrate(url, upTo));
    for (const { table, lower, upper } of manifest.partitions)
      await client.query('select ensure_partition($1, $2, $3)', [table, lower, upper]);
    const counts = await copyAll(client, manifest, backup);
    await prepareDatabase(url);
    await client.query('analyze');
    return { manifest, counts };
  } finally {
    await client.end();
  }
}

async function checkVersion({ migrations, tables, createdAt }: Manifest): Promise<void> {
  const refuse = (reason: string) => {
    throw new BackupError(`The backup of ${createdAt} ${reason}.`);
  };
  const [foreign] = foreignMigrations(migrations);
  if (foreign)
    refuse(`is of an earlier tree of Roundtrip (it has the migration ${foreign}): this version cannot restore it`);
  const newer = migrations.find((name) => !migrationNames().includes(name));
  if (newer) refuse(`is of a newer version (it has the migration ${newer}): restore it with that version`);
  const known = await migratedTables(migrations.at(-1));
  const unknown = tables.find(({ name }) => !known.has(name));
  if (unknown) refuse(`has the table ${unknown.name}, which is none of Roundtrip's`);
}

async function checkIdle(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query(
    `select from pg_stat_activity
      where datname = current_database() and application_name = 'roundtrip' and pid <> pg_backend_pid()`,
  );
  if (rowCount)
    throw new BackupError('Roundtrip uses this database: stop it (web and jobs, or `roundtrip start`), then restore.');
}

const notOfExtension = (catalog: string) =>
  `not exists (select from pg_depend where objid = ${catalog}.oid and deptype = 'e')`;

const RELATIONS = `from pg_class where relnamespace = 'public'::regnamespace and not relispartition and ${notOfExtension('pg_class')}`;

/** Names of all tables, also those that are not ours. */
async function tablesOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname::text as name ${RELATIONS} and relkind in ('r', 'p') order by relname`,
  );
  return rows.map(({ name }) => name);
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

async function checkEmpty(client: pg.Client, tables: readonly string[]): Promise<void> {
  const refuse = (found: string) => {
    throw new BackupError(
      `The database ${found}: restore into an empty one, or add --replace to delete what it holds.`,
    );
  };
  const ours = new Set([...FILLED_AT_START, ...(await migratedTables())]);
  const others = tables.find((name) => !ours.has(name));
  if (others) refuse(`has tables of others (${others})`);
  for (const name of tables) {
    if (FILLED_AT_START.includes(name)) continue;
    const rows = `select from "${name}" ${name === 'alert_rule' ? EDITED_RULES : ''} limit 1`;
    if ((await client.query(rows)).rowCount) refuse(`is not empty (${name} has rows)`);
  }
}

/** Takes away all that is not an extension's, or nothing. */
async function clear(client: pg.Client): Promise<void> {
  const dropAll = async (what: string, found: string) => {
    const { rows } = await client.query<{ names: string | null }>(
      `select string_agg(name, ', ') as names from (${found}) as found`,
    );
    if (rows[0]?.names) await client.query(`drop ${what} ${rows[0].names} cascade`);
  };
  await client.query('begin');
  // Of Citus, and of no effect without it: a function is not dropped after tables were in several connections.
  await client.query(`set local citus.multi_shard_modify_mode = 'sequential'`);
  await dropAll('table', `select oid::regclass::text as name ${RELATIONS} and relkind in ('r', 'p')`);
  await dropAll('sequence', `select oid::regclass::text as name ${RELATIONS} and relkind = 'S'`);
  await dropAll(
    'function',
    `select oid::regprocedure::text as name from pg_proc
      where pronamespace = 'public'::regnamespace and ${notOfExtension('pg_proc')}`,
  );
  await client.query('commit');
}

/** The rows of all tables, in place of what there was, in one transaction; they are counted against what the backup says. */
async function copyAll(client: pg.Client, { tables, sequences }: Manifest, backup: BackupReader): Promise<RowCounts> {
  // An error ends the connection, and the transaction with it.
  await client.query('begin');
  // What a migration writes is in the backup too, as it became.
  await client.query(`truncate ${tables.map(({ name }) => `"${name}"`).join(', ')}`);
  const counts: RowCounts = {};
  for (const { name, columns } of tables) {
    const names = columns.map((column) => `"${column}"`).join(', ');
    const copy = client.query(copyStreams.from(`copy "${name}" (${names}) from stdin (format binary)`));
    await pipeline(backup.rows(name), copy).catch((error: Error & { code?: string }) => {
      // Data exceptions, broken constraints, and what PostgreSQL says of a COPY that is none.
      const isData = /^(22|23|08P01)/.test(error.code ?? '');
      throw isData ? new BackupError(`the backup is damaged: ${name} cannot be stored (${error.message})`) : error;
    });
    counts[name] = copy.rowCount;
  }
  const expected = await backup.counts();
  const wrong = Object.keys(counts).find((name) => counts[name] !== expected[name]);
  if (wrong) throw new BackupError(`the backup is damaged: ${wrong} has ${counts[wrong]} of ${expected[wrong]} rows`);
  // One of a table of others is not here.
  for (const { name, value } of sequences)
    await client.query('select setval(to_regclass($1), $2)', [`"${name}"`, value]);
  await client.query('commit');
  return counts;
}
