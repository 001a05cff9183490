import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import { connectAlone } from './connection.ts';
import { distribute } from './distribute.ts';
import { foreignMigrations, migrationNames, migrationsFolder } from './schema-version.ts';

/** What is asked before a migration takes no longer; a migration itself has no limit. */
const ANSWER_MS = 10_000;

/**
 * Names of the migrations of this checkout that `url` has not finished, oldest first.
 * @throws Error when it cannot connect, and for a database that an earlier tree or another program made
 */
export async function pendingMigrations(url: string): Promise<string[]> {
  const recorded = await recordedMigrations(url);
  const [foreign] = foreignMigrations(recorded.map(({ name }) => name));
  if (foreign !== undefined)
    throw new Error(
      `it was made by an earlier tree of Roundtrip or by another program (it has the migration ${foreign}), and is left as it is: set an empty database (DATABASE_URL) or another data folder (ROUNDTRIP_DATA)`,
    );
  const unfinished = recorded.find(({ done }) => !done);
  if (unfinished)
    throw new Error(
      `its migration ${unfinished.name} was begun and did not end: restore the backup made before it, or mend the database and delete its row of _prisma_migrations`,
    );
  const finished = new Set(recorded.flatMap(({ name, done }) => (done ? [name] : [])));
  return migrationNames().filter((name) => !finished.has(name));
}

/**
 * Brings the database up to this checkout and says which migrations ran. Each is a transaction with the note that it ran, in the table of
 * Prisma's own tools; several processes may call this at once: one after the other does it. `upTo` is the last that is wanted; all without.
 * @throws Error that names the migration when one fails, for a database that cannot hold our tables, and what `pendingMigrations` throws
 */
export async function migrate(url: string, upTo?: string): Promise<string[]> {
  if (wantedOf(await pendingMigrations(url), upTo).length === 0) return [];
  await refuseUnfit(url);
  const client = await connectAlone(url);
  try {
    await client.query(MIGRATING);
    // The previous holder of the lock may have done it all.
    const wanted = wantedOf(await pendingMigrations(url), upTo);
    for (const name of wanted) await apply(client, name);
    return wanted;
  } finally {
    await client.end();
  }
}

const wantedOf = (pending: readonly string[], upTo: string | undefined) =>
  pending.filter((name) => upTo === undefined || name <= upTo);

/**
 * A migration takes as long as it must, and no longer than its process lives, where the server can tell. The lock is that of Prisma's own
 * tools, and their table is made as they make it.
 */
const MIGRATING = `set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0;
  select set_config(name, '1000', false) from pg_settings where name = 'client_connection_check_interval';
  select pg_advisory_lock(72707369);
  create table if not exists _prisma_migrations (
    id varchar(36) primary key not null, checksum varchar(64) not null, finished_at timestamptz, migration_name varchar(255) not null,
    logs text, rolled_back_at timestamptz, started_at timestamptz not null default now(), applied_steps_count integer not null default 0)`;

async function apply(client: pg.Client, name: string): Promise<void> {
  const text = await readFile(path.join(migrationsFolder(), name, 'migration.sql'), 'utf8');
  try {
    await client.query('begin');
    await client.query(text);
    await client.query(
      `insert into _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
        values ($1, $2, $3, now(), clock_timestamp(), 1)`,
      [randomUUID(), createHash('sha256').update(text).digest('hex'), name],
    );
    await client.query('commit');
  } catch (error) {
    throw new Error(`the database could not be migrated: ${name}: ${(error as Error).message}`, { cause: error });
  }
}

/** Before anything is made: text of ours is Unicode, and our tables are in the schema `public`. */
async function refuseUnfit(url: string): Promise<void> {
  const client = await connectAlone(url, { query_timeout: ANSWER_MS });
  try {
    const { rows } = await client.query<{ encoding: string; may: boolean | null; role: string; name: string }>(
      `select current_setting('server_encoding') as encoding, current_user as role, current_database() as name,
        has_schema_privilege(to_regnamespace('public'), 'create') as may`,
    );
    const [{ encoding = '', may = null, role = '', name = '' } = {}] = rows;
    if (encoding !== 'UTF8')
      throw new Error(
        `its encoding is ${encoding}, and Roundtrip needs UTF8: recreate it (createdb --encoding=UTF8 --template=template0 ${name})`,
      );
    if (may === null)
      throw new Error('it has no schema public, where Roundtrip keeps its tables: create schema public');
    if (!may) throw new Error(`${role} may make no tables in it: grant create on schema public to ${role}`);
  } finally {
    await client.end();
  }
}

/** What was done to a database to bring it up to this checkout: names of migrations and of tables. */
export type Prepared = { applied: string[]; distributed: string[] };

/** Migrates, and distributes the tables where the database has the extension Citus, or is to have it (`citus`). */
export async function prepareDatabase(
  url: string,
  { citus = false, upTo }: { citus?: boolean; upTo?: string | undefined } = {},
): Promise<Prepared> {
  const applied = await migrate(url, upTo);
  return { applied, distributed: await distribute(url, { create: citus }) };
}

/** The tables that the migrations of this checkout make, up to `upTo` or all of them. */
export async function migratedTables(upTo?: string): Promise<Set<string>> {
  const tables = new Set<string>();
  for (const folder of migrationNames()) {
    if (upTo !== undefined && folder > upTo) break;
    const text = await readFile(path.join(migrationsFolder(), folder, 'migration.sql'), 'utf8');
    for (const [, verb, name = ''] of text.matchAll(/^(CREATE|DROP) TABLE "(\w+)"/gm))
      if (verb === 'CREATE') tables.add(name);
      else tables.delete(name);
  }
  return tables;
}

/** What the database says of its migrations, but for those that were rolled back. */
async function recordedMigrations(url: string): Promise<{ name: string; done: boolean }[]> {
  const client = await connectAlone(url, { query_timeout: ANSWER_MS });
  try {
    const table = await client.query(`select to_regclass('_prisma_migrations') is not null as there`);
    if (!table.rows[0]?.there) return [];
    const { rows } = await client.query<{ name: string; done: boolean }>(
      `select migration_name as name, finished_at is not null as done from _prisma_migrations
        where rolled_back_at is null order by migration_name`,
    );
    return rows;
  } finally {
    await client.end();
  }
}
