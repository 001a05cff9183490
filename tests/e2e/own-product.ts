import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from '@playwright/test';
import pg from 'pg';
import { findEmbeddedPostgres } from '#cli/database/embedded-postgres.ts';
import { freePort } from '../support/process.ts';
import { type Stack, startStack } from '../support/stack.ts';

const START_MS = 240_000;

/** A product that is a file's own. `url` and `password` of the fixtures are its, too. */
export type OwnProduct = {
  /** Starts it again, at the same address. */
  start(): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Runs one statement on its database. */
  query(text: string, values?: unknown[]): Promise<void>;
  /** Locks tables of its database against all readers, until the function that it returns is called. */
  lock(tables: string): Promise<() => Promise<void>>;
};

type OwnOptions = { args: string[]; env?: Record<string, string> };

/**
 * For the top of a file whose tests stop the product, end sessions or change the password. `env` is read anew at each start; webhooks
 * of most tests go to receivers on this machine.
 */
export function ownProduct({ args, env = { ROUNDTRIP_ALLOW_PRIVATE_TARGETS: '1' } }: OwnOptions): OwnProduct {
  let folder: string;
  let port: number;
  let stack: Stack;
  const start = async () => {
    stack = await startStack({ dataDir: folder, port, args, env });
  };
  test.beforeAll(async () => {
    test.setTimeout(START_MS);
    folder = mkdtempSync(path.join(tmpdir(), 'roundtrip-own-'));
    chmodSync(folder, 0o711);
    port = await freePort();
    await start();
    process.env.E2E_URL = stack.url;
    process.env.E2E_PASSWORD = stack.password ?? '';
  });
  test.afterAll(async () => {
    await stack.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const query = async (text: string, values: unknown[] = []) => {
    const client = new pg.Client({ connectionString: (await findEmbeddedPostgres(folder)) ?? '' });
    await client.connect();
    try {
      await client.query(text, values);
    } finally {
      await client.end();
    }
  };
  const lock = async (tables: string) => {
    const client = new pg.Client({ connectionString: (await findEmbeddedPostgres(folder)) ?? '' });
    await client.connect();
    await client.query(`begin; lock table ${tables} in access exclusive mode`);
    return () => client.end();
  };
  return { start, stop: async (signal) => void (await stack.stop(signal)), query, lock };
}
