import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { sealDays } from '#server/blocks/seal.ts';
import { getPool } from '#server/database/database.ts';
import { takingTurns } from '#server/database/turns.ts';
import { removeDemo } from '#server/demo/demo.ts';
import { targetMetrics } from '#server/monitoring/monitoring.ts';
import { extent } from '../support/extent.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { insertTarget } from '../support/places.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { DAY, MINUTE, SCENE_VANTAGES, SLOW_MS, type StoredScene, storedScene } from '../support/stored-scene.ts';

// Results that come for a day while it is being sealed: for as long as anybody likes, and without holding others back.

/** Removals of a target while its results are sealed: some at each step, or more. */
const REMOVALS = extent(6, 250);

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
afterEach(() => vi.useRealTimers());

let made = 0;
const lateResult = () => {
  made += 1;
  return makeResult({ targetId: scene.targets[made % 2] ?? '', vantage, startedAt: day + DAY / 2 + made * 10 });
};

const countOf = async (what: string) =>
  (await getPool().query<{ n: number }>(`select coalesce(${what})::int as n`)).rows[0]?.n ?? 0;
const sealed = () => countOf('(select sum(count) from result_block), 0');
const rows = () => countOf(`(select count(*) from ${partition}), 0`);

describe('a batch for a day that takes no results for a moment', () => {
  it('gives its turn to others, and is stored when the day takes results again', async () => {
    const holder = await getPool().connect();
    await holder.query(`begin; lock table ${partition} in share row exclusive mode`);
    const store = (results: Parameters<typeof insertResults>[0]) =>
      takingTurns(new AbortController().signal, async (take) => {
        await take();
        return await insertResults(results);
      });
    const before = await rows();
    const late = Array.from({ length: 4 }, () => store([lateResult()]));
    const { targetId } = lateResult();
    const fresh = makeResult({ targetId: targetId ?? '', vantage, startedAt: Date.now() });
    expect(await store([fresh])).toEqual({ accepted: 1, duplicates: 0 });
    await holder.query('rollback');
    holder.release();
    expect(await Promise.all(late)).toEqual(late.map(() => ({ accepted: 1, duplicates: 0 })));
    expect(await rows()).toBe(before + 4);
  });

  it('is not waited for longer than it would have waited with its turn', async () => {
    const holder = await getPool().connect();
    await holder.query(`begin; lock table ${partition} in share row exclusive mode`);
    vi.useFakeTimers({ toFake: ['Date'] });
    const stored = insertResults([lateResult()]);
    const passing = setInterval(() => vi.setSystemTime(Date.now() + 5_000), 100);
    await expect(stored).rejects.toMatchObject({ code: '55P03' });
    clearInterval(passing);
    await holder.query('rollback');
    holder.release();
  });
});

describe('a day', () => {
  it('is sealed however long results come for it, each of which is there once', async () => {
    const before = await rows();
    expect(await targetMetrics()).toMatch(/^roundtrip_results_unsealed_days 1$/m);
    let going = true;
    let sent = 0;
    const sending = (async () => {
      for (; going; sent += 1) expect(await insertResults([lateResult()])).toEqual({ accepted: 1, duplicates: 0 });
    })();
    const packed = await sealDays(day + 2 * DAY);
    going = false;
    await sending;
    expect(packed).toBeGreaterThanOrEqual(before);
    expect(await sealed()).toBe(packed);
    // What came meanwhile and was not packed stayed rows, as what came behind it.
    expect((await sealed()) + (await rows())).toBe(before + sent);
    await sealDays(day + 2 * DAY);
    expect(await rows()).toBe(0);
    expect(await sealed()).toBe(before + sent);
    expect(await countOf(`(select count(*) from pg_class where relkind = 'r' and relname like 'sealing%')`)).toBe(0);
    expect(await targetMetrics()).toMatch(/^roundtrip_results_unsealed_days 0$/m);
  });

  it('of which results go while it is packed is packed anew', async () => {
    const next = day + 4 * DAY;
    const [targetId = '', other = ''] = scene.targets;
    const results = [targetId, other].flatMap((id) =>
      Array.from({ length: 50 }, (_, n) => makeResult({ targetId: id, vantage, startedAt: next + n * MINUTE })),
    );
    await insertResults(results);
    const gone = `delete from result where target_id = $1 and started_at >= $2 and started_at < $3`;
    let isGone = false;
    const packed = await sealDays(next + 2 * DAY, {
      // Once the first target is packed, and before any is put in place.
      step: async (step) => {
        if (step !== 'packed' || isGone) return;
        isGone = true;
        await getPool().query(gone, [targetId, new Date(next), new Date(next + 10 * MINUTE)]);
      },
    });
    expect(packed).toBe(90);
  });

  it(`leaves nothing of a target that is removed at some step of ${REMOVALS} sealings`, async () => {
    const steps = ['staged table', 'packed', 'locked', 'truncated', 'attached', 'over'];
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
