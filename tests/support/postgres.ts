import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startEmbeddedPostgres } from '#cli/database/embedded-postgres.ts';
import { prepareDatabase } from '#server/database/migrate.ts';
import { makeCluster, onNodes, workersOf } from './citus/cluster.ts';
import { onServer, withDatabase } from './on-server.ts';

/** A migrated database to clone, and the way to put everything away. */
export type Template = { url: string; stop: () => Promise<void> };

/** Embedded PostgreSQL in a folder of its own, or the server of `TEST_DATABASE_URL` (which may be a cluster), with a migrated template on it. */
export async function startTemplate(): Promise<Template> {
  const given = process.env.TEST_DATABASE_URL;
  const server = given ? { url: given, stop: async () => {} } : await startServer();
  const name = `roundtrip_template_${process.pid}`;
  const workers = given ? await workersOf(given) : [];
  await onServer(server.url, `create database ${name}`);
  const url = withDatabase(server.url, name);
  if (workers.length > 0) await makeCluster(url, workers);
  await prepareDatabase(url);
  const stop = async () => {
    if (given) await onNodes(server.url, `drop database if exists ${name} with (force)`);
    await server.stop();
  };
  return { url, stop };
}

async function startServer(): Promise<Template> {
  const folder = await mkdtemp(path.join(tmpdir(), 'roundtrip-test-'));
  const server = await startEmbeddedPostgres({ dataDir: folder, log: () => {} });
  // Nothing here outlives the run; tests that crash a server start one of their own, which waits for its disk. Every database that
  // is dropped asks for a checkpoint, which takes seconds where it waits for a busy disk.
  for (const setting of ['fsync = off', 'full_page_writes = off'])
    await onServer(server.url, `alter system set ${setting}`);
  await onServer(server.url, 'select pg_reload_conf()');
  await onServer(server.url, 'alter role current_user set synchronous_commit = off');
  const stop = async () => {
    await server.stop();
    await rm(server.location, { recursive: true, force: true });
    await rm(folder, { recursive: true, force: true });
  };
  return { url: server.url, stop };
}
