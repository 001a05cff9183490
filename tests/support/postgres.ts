import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '#cli/database/embedded-postgres.ts';
import { migrate } from '#server/database/migrate.ts';

/** A migrated database to clone, and the way to put everything away. */
export type Template = { url: string; stop: () => Promise<void> };

/** Embedded PostgreSQL in a folder of its own, or the server of `TEST_DATABASE_URL`, with a migrated template on it. */
export async function startTemplate(): Promise<Template> {
  const given = process.env.TEST_DATABASE_URL;
  const server = given ? { url: given, stop: async () => {} } : await startServer();
  const name = `roundtrip_template_${process.pid}`;
  await onServer(server.url, `create database ${name}`);
  const url = withDatabase(server.url, name);
  await migrate(url);
  const stop = async () => {
    if (given) await onServer(server.url, `drop database if exists ${name} with (force)`);
    await server.stop();
  };
  return { url, stop };
}

/** The same server, another database. */
export function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

/** Runs one statement on the server's own database. */
export async function onServer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

async function startServer(): Promise<Template> {
  const folder = await mkdtemp(path.join(tmpdir(), 'roundtrip-test-'));
  const server = await startEmbeddedPostgres({ dataDir: folder, log: () => {} });
  // Nothing here outlives the run; tests that crash a server start one of their own, which waits for its disk.
  await onServer(server.url, 'alter role current_user set synchronous_commit = off');
  const stop = async () => {
    await server.stop();
    await rm(server.location, { recursive: true, force: true });
    await rm(folder, { recursive: true, force: true });
  };
  return { url: server.url, stop };
}
