import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect, it } from 'vitest';
import { getPool } from '#server/database/database.ts';
import { NEWEST_MIGRATION } from '#server/database/schema-version.ts';
import { testDatabase } from '../support/database.ts';
import { isLong } from '../support/extent.ts';

/** The advisory lock of migrations. */
const LOCK = 72707369;

it.runIf(isLong)('a clerk that is told to stop in a migration takes its connection along', async () => {
  const database = await testDatabase();
  const clerk = spawn(process.execPath, [path.resolve('cli/start/clerk-main.ts')], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const client = await getPool().connect();
  try {
    await client.query('delete from _prisma_migrations where migration_name = $1', [NEWEST_MIGRATION]);
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    clerk.send({ id: 0, errand: 'migrate', asked: [database.url] });
    const waiting = async () =>
      (await client.query(`select from pg_locks where locktype = 'advisory' and objid = $1 and not granted`, [LOCK]))
        .rowCount;
    await expect.poll(waiting).toBe(1);
    clerk.kill('SIGTERM');
    await once(clerk, 'exit');
    await expect.poll(waiting).toBe(0);
  } finally {
    clerk.kill('SIGKILL');
    client.release(true);
    await database.drop();
  }
});
