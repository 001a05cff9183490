import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';

/** What is asked before a migration takes no longer; a migration itself has no limit. */
const ANSWER_MS = 10_000;

const root = path.resolve(import.meta.dirname, '../..');

/** Names of the migrations of this checkout that `url` has not finished, oldest first. Throws when it cannot connect. */
export async function pendingMigrations(url: string): Promise<string[]> {
  const [wanted, applied] = await Promise.all([migrationFolders(), appliedMigrations(url)]);
  return wanted.filter((name) => !applied.has(name));
}

/**
 * Brings the database up to this checkout and says which migrations ran. Prisma, which takes about two seconds, is
 * started only when one is pending; it holds a lock, so several processes may call this at once.
 * @throws Error with Prisma's own words when a migration fails
 */
export async function migrate(url: string): Promise<string[]> {
  const pending = await pendingMigrations(url);
  if (pending.length > 0) await deploy(url);
  return pending;
}

async function migrationFolders(): Promise<string[]> {
  const entries = await readdir(path.join(root, 'prisma/migrations'), { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

async function appliedMigrations(url: string): Promise<Set<string>> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS });
  await client.connect();
  try {
    const table = await client.query(`select to_regclass('_prisma_migrations') is not null as there`);
    if (!table.rows[0]?.there) return new Set();
    const { rows } = await client.query<{ name: string }>(
      'select migration_name as name from _prisma_migrations where finished_at is not null and rolled_back_at is null',
    );
    return new Set(rows.map((row) => row.name));
  } finally {
    await client.end();
  }
}

function deploy(url: string): Promise<void> {
  const prisma = path.join(root, 'node_modules/prisma/build/index.js');
  const child = spawn(process.execPath, [prisma, 'migrate', 'deploy'], {
    cwd: root,
    env: { ...process.env, DATABASE_URL: url, PRISMA_HIDE_UPDATE_MESSAGE: '1', CHECKPOINT_DISABLE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
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
