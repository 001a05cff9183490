import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VantageRef } from '#contract/result.ts';
import { getPool } from '#server/database/database.ts';
import { checkReady } from '#server/monitoring/health.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { isLong } from '../support/extent.ts';
import { insertProber, insertTarget } from '../support/places.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

let database: TestDatabase;
let vantage: VantageRef;
const started: ChildProcess[] = [];
beforeAll(async () => {
  database = await testDatabase();
  vantage = makeVantage('CN-GD', 'telecom');
  await insertProber([vantage]);
});
afterAll(async () => {
  for (const child of started) child.kill('SIGKILL');
  await database.drop();
});

/** A jobs process, as `roundtrip start` runs it, once it says that it is up. */
async function startJobs(): Promise<ChildProcess> {
  const child = fork('workers/jobs/main.ts', {
    env: { ...process.env, DATABASE_URL: database.url, LOG_LEVEL: 'error' },
  });
  started.push(child);
  const [message] = await once(child, 'message');
  expect(message).toEqual({ ready: true });
  return child;
}

async function minutesOf(targetId: string): Promise<number> {
  const { rows } = await getPool().query<{ n: number }>(
    'select coalesce(sum(total), 0)::int as n from rollup_minute where target_id = $1',
    [targetId],
  );
  return rows[0]?.n ?? 0;
}

async function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null) await once(child, 'exit');
  return child.exitCode;
}

describe('the jobs process', () => {
  it('makes the whole ready, keeps rollups right two at a time, and ends on every way to ask it', async () => {
    // A new pool on a busy machine may not answer within the second that it has.
    await expect.poll(async () => (await checkReady()).reason).toContain('jobs');
    const [first, second] = await Promise.all([startJobs(), startJobs()]);
    expect(await checkReady()).toEqual({ ready: true, reason: null });

    const targetId = await insertTarget();
    for (let round = 0; round < 5; round++) {
      // Minutes that are over, and computed at once.
      const startedAt = Date.now() - 60_000 * (round + 3);
      await insertResults(
        Array.from({ length: 100 }, (_, n) => makeResult({ targetId, vantage, startedAt: startedAt + n })),
      );
    }
    await expect.poll(() => minutesOf(targetId)).toBe(500);

    first?.kill('SIGTERM');
    second?.disconnect();
    expect(await Promise.all([first, second].flatMap((child) => (child ? exitOf(child) : [])))).toEqual([0, 0]);
  });

  it.runIf(isLong)('goes on after its predecessor was killed in the middle of the work', async () => {
    const targetId = await insertTarget();
    const child = await startJobs();
    const begin = Date.now() - 3_600_000;
    await insertResults(
      Array.from({ length: 3_000 }, (_, n) => makeResult({ targetId, vantage, startedAt: begin + n * 1_000 })),
    );
    await expect.poll(() => minutesOf(targetId), { interval: 2 }).toBeGreaterThan(0);
    child.kill('SIGKILL');
    await exitOf(child);
    const late = makeResult({ targetId, vantage, startedAt: begin });
    await insertResults([late]);
    const next = await startJobs();
    await expect.poll(() => minutesOf(targetId)).toBe(3_001);
    next.kill('SIGINT');
    expect(await exitOf(next)).toBe(0);
  });
});
