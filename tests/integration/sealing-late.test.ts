import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { sealDays } from '#server/blocks/seal.ts';
import { getPool } from '#server/database/database.ts';
import { takingTurns } from '#server/database/turns.ts';
import { targetMetrics } from '#server/monitoring/monitoring.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { DAY, MINUTE, SCENE_VANTAGES, SLOW_MS, type StoredScene, storedScene } from '../support/stored-scene.ts';

// Results that come for a day while it is being sealed: for as long as anybody likes, and without holding others back.

vi.setConfig({ testTimeout: SLOW_MS, hookTimeout: SLOW_MS });
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
    let removed: Promise<unknown> | undefined;
    const gone = `delete from result where target_id = $1 and started_at >= $2 and started_at < $3`;
    const packed = await sealDays(next + 2 * DAY, {
      step: (step) => {
        // Once both are packed, and before they are put in place: whoever does that waits for it.
        if (step === 'packed')
          removed ??= getPool().query(gone, [targetId, new Date(next), new Date(next + 10 * MINUTE)]);
      },
    });
    await removed;
    expect(packed).toBe(90);
  });
});
