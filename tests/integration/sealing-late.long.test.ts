import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { sealDays } from '#server/blocks/seal.ts';
import { getPool } from '#server/database/database.ts';
import { removeDemo } from '#server/demo/demo.ts';
import { targetMetrics } from '#server/monitoring/monitoring.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { insertTarget } from '../support/places.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { DAY, MINUTE, SCENE_VANTAGES, SLOW_MS, type StoredScene, storedScene } from '../support/stored-scene.ts';

// Who reads, writes or deletes results of a day while it is being sealed.

/** Removals of a target while its results are sealed: some at each step, or more. */
/** Each step with each of the seven moments, three times. */
const REMOVALS = 105;

vi.setConfig({ testTimeout: Math.max(SLOW_MS, REMOVALS * 1_000), hookTimeout: SLOW_MS });
const day = Math.floor(WEDNESDAY / DAY) * DAY;
const [vantage] = SCENE_VANTAGES;
const partition = `result_p${new Date(day).toISOString().slice(0, 10).replaceAll('-', '')}`;

let scene: StoredScene;
beforeAll(async () => {
  scene = await storedScene(['one', 'two'], (targets) =>
    targets.flatMap((targetId) =>
      Array.from({ length: 300 }, (_, n) => makeResult({ targetId, vantage, startedAt: day + n * MINUTE })),
    ),
  );
});
afterAll(() => scene.database.drop());

const countOf = async (what: string) =>
  (await getPool().query<{ n: number }>(`select coalesce(${what})::int as n`)).rows[0]?.n ?? 0;
const sealed = () => countOf('(select sum(count) from result_block), 0');
const rows = () => countOf(`(select count(*) from ${partition}), 0`);

describe('a day', () => {
  it('is read while it is packed, and sealed in the end where a reader or a writer is in its way for a moment', async () => {
    const before = await rows();
    expect(await targetMetrics()).toMatch(/^roundtrip_results_unsealed_partitions 1$/m);
    const writer = await getPool().connect();
    await writer.query(`begin; lock table ${partition} in row exclusive mode`);
    const freed = sleep(300).then(() => writer.query('rollback'));
    const reader = await getPool().connect();
    let read: Promise<unknown> | undefined;
    const step = async (name: string) => {
      if (name !== 'packed' || read) return;
      await reader.query('begin');
      const { rows } = await reader.query(`select from ${partition}`);
      expect(rows).toHaveLength(before);
      // Longer than readers are waited for at a time.
      read = sleep(2_000).then(() => reader.query('rollback'));
    };
    expect(await sealDays(day + 2 * DAY, { step })).toBe(before);
    await Promise.all([freed, read]);
    reader.release();
    writer.release();
    expect(await rows()).toBe(0);
    expect(await sealed()).toBe(before);
    expect(await targetMetrics()).toMatch(/^roundtrip_results_unsealed_partitions 0$/m);
  });

  it('that somebody writes to for longer is left as it is, and sealed later', async () => {
    const next = day + 3 * DAY;
    const [targetId = ''] = scene.targets;
    await insertResults([makeResult({ targetId, vantage, startedAt: next })]);
    const writer = await getPool().connect();
    await writer.query('begin');
    // As ingest does that began before midnight.
    await writer.query('update result set ok = ok where started_at = $1', [new Date(next)]);
    expect(await sealDays(next + 2 * DAY)).toBe(0);
    await writer.query('rollback');
    writer.release();
    expect(await sealDays(next + 2 * DAY)).toBe(1);
  });

  it('that somebody reads all the time is left at once where the process is to stop, and sealed later', async () => {
    const next = day + 4 * DAY;
    const [targetId = ''] = scene.targets;
    await insertResults([makeResult({ targetId, vantage, startedAt: next })]);
    const reader = await getPool().connect();
    const stop = new AbortController();
    let stoppedAt = 0;
    const step = async (name: string) => {
      if (name !== 'packed') return;
      await reader.query('begin');
      await reader.query('select from result where started_at = $1', [new Date(next)]);
      setTimeout(() => {
        stoppedAt = performance.now();
        stop.abort();
      }, 300);
    };
    expect(await sealDays(next + 2 * DAY, { step, signal: stop.signal })).toBe(0);
    // Ten tries a second apart would be left.
    expect(performance.now() - stoppedAt).toBeLessThan(1_000);
    await reader.query('rollback');
    reader.release();
    expect(await sealDays(next + 2 * DAY)).toBe(1);
  });

  it('of which not every result is packed stays rows, and the error says how many are', async () => {
    const next = day + 5 * DAY;
    const [targetId = ''] = scene.targets;
    const whole = [0, 1, 2].map((n) => makeResult({ targetId, vantage, startedAt: next + n }));
    await insertResults(whole);
    // No result can have this id, behind which packing begins.
    await getPool().query(`update result set id = '00000000-0000-0000-0000-000000000000' where started_at = $1`, [
      new Date(next),
    ]);
    const before = [await sealed(), await countOf('(select count(*) from result), 0')];
    await expect(sealDays(next + 2 * DAY)).rejects.toThrow(`of 3 results of target ${targetId} 2 were packed`);
    expect([await sealed(), await countOf('(select count(*) from result), 0')]).toEqual(before);
    await getPool().query('delete from result where started_at = $1', [new Date(next)]);
    expect(await sealDays(next + 2 * DAY)).toBe(2);
  });

  it(`leaves nothing of a target that is removed at some step of ${REMOVALS} sealings`, async () => {
    const steps = ['locked', 'packed', 'truncated', 'attached', 'over'];
    for (let n = 0; n < REMOVALS; n++) {
      const next = day + (6 + n) * DAY;
      const at = steps[n % steps.length];
      const kept = scene.targets[0] ?? '';
      const removed = await insertTarget({ demo: true });
      await insertResults(
        [removed, kept].flatMap((targetId) =>
          Array.from({ length: 5 }, (_, k) => makeResult({ targetId, vantage, startedAt: next + k * MINUTE })),
        ),
      );
      let removing: Promise<void> | undefined;
      const step = (name: string) => {
        // Not waited for: it may have to wait for the sealing. A little later each time, so that it meets all of a step.
        if (name === at) removing ??= sleep(n % 7).then(removeDemo);
      };
      await sealDays(next + 2 * DAY, { step });
      step('over');
      await removing;
      await sealDays(next + 2 * DAY);
      const left = await Promise.all([
        countOf(`(select count(*) from result where target_id = '${removed}'), 0`),
        countOf(`(select sum(count) from result_block where target_id = '${removed}'), 0`),
        countOf(`(select sum(count) from result_block where first_at >= '${new Date(next).toISOString()}'), 0`),
      ]);
      expect(left, at).toEqual([0, 0, 5]);
    }
  });
});
