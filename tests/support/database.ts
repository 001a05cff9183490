import { randomBytes } from 'node:crypto';
import type { VantageRef } from '#contract/result.ts';
import { closeDatabase } from '#server/database/database.ts';
import { onNodes } from './citus/cluster.ts';
import { withDatabase } from './on-server.ts';
import { insertProber } from './places.ts';

/** A database of its own for one test file. */
export type TestDatabase = { url: string; drop: () => Promise<void> };

/**
 * Clones the migrated template (about 100 ms) and points `DATABASE_URL` of this process at the clone, so that `server/*`
 * works on it. `drop` closes the process's pool and removes the database. The vantages are put into it, with one prober.
 */
export async function testDatabase(vantages: VantageRef[] = []): Promise<TestDatabase> {
  const template = process.env.ROUNDTRIP_TEST_TEMPLATE;
  if (!template) throw new Error('no template database: run this test in the vitest project `integration`');
  const server = withDatabase(template, 'postgres');
  const name = `roundtrip_test_${randomBytes(6).toString('hex')}`;
  // On our own server files are copied, which takes half the time; elsewhere that would wait for the disk.
  const strategy = process.env.TEST_DATABASE_URL ? '' : 'strategy file_copy';
  await onNodes(server, `create database ${name} template ${new URL(template).pathname.slice(1)} ${strategy}`);
  const url = withDatabase(template, name);
  const { DATABASE_URL: before } = process.env;
  await closeDatabase();
  process.env.DATABASE_URL = url;
  if (vantages.length > 0) await insertProber(vantages);
  const drop = async () => {
    await closeDatabase();
    // Files share a process: what the next one starts does not ask a database that is gone.
    if (before === undefined) delete process.env.DATABASE_URL;
    else process.env.DATABASE_URL = before;
    await onNodes(server, `drop database if exists ${name} with (force)`);
  };
  return { url, drop };
}
