import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startEmbeddedPostgres } from '#cli/database/embedded-postgres.ts';
import { prepareDatabase } from '#server/database/migrate.ts';
import { makeCluster, onNodes, workersOf } from './citus/cluster.ts';
import { onServer, withDatabase } from './on-server.ts';

/** A migrated database to clone, and the way to put everything away. */
export type Template = { url: string; stop: () => Promise<void> };

/** `shipped`: the server as `npm start` runs it. `volatile`: it does not wait for its disk, and loses its data in a crash. */
type Durability = 'shipped' | 'volatile';

/**
 * Embedded PostgreSQL in a folder of its own, or the server of `TEST_DATABASE_URL` (which may be a cluster), with a migrated template on it.
 * Benches measure a `shipped` one; `durability` says nothing of a server that is given.
 */
export async function startTemplate(durability: Durability): Promise<Template> {
  const given = process.env.TEST_DATABASE_URL;
  const server = given ? { url: given, stop: async () => {} } : await startServer(durability);
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

async function startServer(durability: Durability): Promise<Template> {
  const folder = await mkdtemp(path.join(tmpdir(), 'roundtrip-test-'));
  const server = await startEmbeddedPostgres({ dataDir: folder, log: () => {} });
  if (durability === 'volatile') await stopWaitingForDisk(server.url);
  const stop = async () => {
    await server.stop();
    await rm(server.location, { recursive: true, force: true });
    await rm(folder, { recursive: true, force: true });
  };
  return { url: server.url, stop };
}

/**
 * Nothing in a test run outlives it; tests that crash a server start one of their own, which waits for its disk. Each database that
 * is dropped asks for a checkpoint, which takes seconds on a busy disk.
 */
async function stopWaitingForDisk(url: string): Promise<void> {
  for (const setting of ['fsync = off', 'full_page_writes = off']) await onServer(url, `alter system set ${setting}`);
  await onServer(url, 'select pg_reload_conf()');
  await onServer(url, 'alter role current_user set synchronous_commit = off');
}
