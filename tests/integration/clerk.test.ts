import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { getPool } from '#server/database/database.ts';
import { NEWEST_MIGRATION } from '#server/database/schema-version.ts';
import { testDatabase } from '../support/database.ts';

/** The advisory lock that `prisma migrate` takes. */
const PRISMA_LOCK = 72707369;

it('a clerk that is told to stop in a migration takes Prisma along', async () => {
  const database = await testDatabase();
  const clerk = spawn(process.execPath, [path.resolve('cli/start/clerk-main.ts')], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const client = await getPool().connect();
  try {
    await client.query('delete from _prisma_migrations where migration_name = $1', [NEWEST_MIGRATION]);
    await client.query('select pg_advisory_lock($1)', [PRISMA_LOCK]);
    clerk.send({ id: 0, errand: 'migrate', asked: [database.url] });
    const waiting = () =>
      client.query(`select from pg_locks where locktype = 'advisory' and objid = $1 and not granted`, [PRISMA_LOCK]);
    await expect.poll(async () => (await waiting()).rowCount).toBe(1);
    const [prisma = ''] = readFileSync(`/proc/${clerk.pid}/task/${clerk.pid}/children`, 'utf8').split(' ');
    expect(argumentsOf(prisma)).toContain('migrate');

    clerk.kill('SIGTERM');
    await once(clerk, 'exit');
    await expect.poll(() => argumentsOf(prisma)).toBeNull();
  } finally {
    clerk.kill('SIGKILL');
    client.release(true);
    await database.drop();
  }
});

/** What a process was started with; null where it is gone. */
function argumentsOf(pid: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8') || null;
  } catch {
    return null;
  }
}
