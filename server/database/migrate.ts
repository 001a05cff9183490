import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connectAlone } from './connection.ts';
import { distribute } from './distribute.ts';
import { foreignMigrations, migrationNames, migrationsFolder } from './schema-version.ts';

/** What is asked before a migration takes no longer; a migration itself has no limit. */
const ANSWER_MS = 10_000;

const root = path.resolve(import.meta.dirname, '../..');

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
  const finished = new Set(recorded.flatMap(({ name, done }) => (done ? [name] : [])));
  return migrationNames().filter((name) => !finished.has(name));
}

/**
 * Brings the database up to this checkout and says which migrations ran. Prisma, which takes about two seconds, is
 * started only when one is pending; it holds a lock, so several processes may call this at once. `upTo` is the last that is
 * wanted; all without.
 * @throws Error with Prisma's own words when a migration fails, for a database that cannot hold our tables, and what `pendingMigrations` throws
 */
export async function migrate(url: string, upTo?: string): Promise<string[]> {
  const pending = (await pendingMigrations(url)).filter((name) => upTo === undefined || name <= upTo);
  const isLast = upTo === undefined || upTo === migrationNames().at(-1);
  if (pending.length > 0) await refuseUnfit(url);
  if (pending.length > 0) await (isLast ? deploy(url) : deployUpTo(url, upTo));
  return pending;
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
        `its encoding is ${encoding}, and Roundtrip needs UTF8: create it anew (createdb --encoding=UTF8 --template=template0 ${name})`,
      );
    if (may === null)
      throw new Error('it has no schema public, where Roundtrip keeps its tables: create schema public');
    if (!may) throw new Error(`${role} may make no tables in it: grant create on schema public to ${role}`);
  } finally {
    await client.end();
  }
}

/** Prisma runs all migrations that it finds in a folder: those that are not wanted are not in this one. */
async function deployUpTo(url: string, upTo: string): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'roundtrip-migrations-'));
  try {
    await cp(migrationsFolder(), folder, {
      recursive: true,
      filter: (source) => !/^\d/.test(path.basename(source)) || path.basename(source) <= upTo,
    });
    await deploy(url, { ROUNDTRIP_MIGRATIONS: folder });
  } finally {
    await rm(folder, { recursive: true, force: true });
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

/** Prisma reads no URL without a host, such as `postgresql://u:p@/db?host=/run/postgresql`; `pg` takes the one of the query. */
const withHost = (url: string) => (URL.canParse(url) ? url : url.replace('@/', '@localhost/'));

function deploy(url: string, environment: Record<string, string> = {}): Promise<void> {
  const prisma = path.join(root, 'node_modules/prisma/build/index.js');
  const child = spawn(process.execPath, [prisma, 'migrate', 'deploy'], {
    cwd: root,
    env: {
      ...process.env,
      ...environment,
      DATABASE_URL: withHost(url),
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
      CHECKPOINT_DISABLE: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // It does not outlive who waits for it: else a migration would go on that nobody hears of.
  const end = () => child.kill();
  process.once('exit', end);
  child.once('close', () => process.off('exit', end));
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`the database could not be migrated: ${output.trim()}`));
    });
  });
}
