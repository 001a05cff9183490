import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MatrixQuery, SeriesQuery } from '#contract/query.ts';
import type { StorableResult } from '#contract/result.ts';
import { getPool } from '#server/database/database.ts';
import { queryMatrix } from '#server/figures/matrix.ts';
import { querySeries } from '#server/figures/series.ts';
import { drainRollups, pumpRollups } from '#server/rollups/rollups.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { insertTarget } from '../support/places.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

const vantage = makeVantage('CN-GD', 'telecom');
let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase([vantage]);
});
afterAll(() => database.drop());

const HOUR = 3_600_000;
/** The beginning of an hour. */
const base = WEDNESDAY;

function at(targetId: string, seconds: number, tls: number): StorableResult {
  return makeResult({ targetId, vantage, startedAt: base + seconds * 1_000, tls });
}

type Row = { step: number; total: number; ok: number; failed_prober: number; unclean: number };
async function rollups(targetId: string): Promise<Row[]> {
  const columns = 'sum(total)::int as total, sum(ok)::int as ok, sum(failed_prober)::int as failed_prober';
  const { rows } = await getPool().query<Row>(
    `select 60 as step, ${columns}, sum(unclean)::int as unclean from rollup_minute where target_id = $1
      union all select 600, ${columns}, sum(unclean)::int from rollup_ten where target_id = $1
      union all select 3600, ${columns}, sum(unclean)::int from rollup_hour where target_id = $1 order by step`,
    [targetId],
  );
  return rows;
}

const iso = (ms: number) => new Date(ms).toISOString();
const hourAndDayBefore = {
  from: iso(base),
  to: iso(base + HOUR),
  compareFrom: iso(base - 24 * HOUR),
  compareTo: iso(base - 23 * HOUR),
};

async function median(targetId: string): Promise<[number | null, number]> {
  const from = new Date(base).toISOString();
  const query = SeriesQuery.parse({ target: targetId, from, to: new Date(base + HOUR).toISOString(), step: '3600' });
  const [line] = (await querySeries(query)).series;
  return [line?.points[0]?.[1] ?? null, line?.points[0]?.[2] ?? 0];
}

describe('rollups', () => {
  it('count everything at every step and keep failures and unclean results out of the times', async () => {
    const targetId = await insertTarget();
    const failure = { phase: 'tls', reason: 'tls_timeout', source: 'target', message: '' } as const;
    await insertResults([
      at(targetId, 0, 30),
      at(targetId, 1, 31),
      { ...at(targetId, 2, 900), prober: { loopDelayMs: 90, inFlight: 1, clean: false } },
      { ...at(targetId, 3, 800), ok: false, failure },
      { ...at(targetId, 4, 800), ok: false, failure: { ...failure, source: 'prober', reason: 'prober_offline' } },
    ]);
    await drainRollups({ settled: true });
    const counts = { total: 5, ok: 3, failed_prober: 1, unclean: 1 };
    expect(await rollups(targetId)).toEqual([60, 600, 3_600].map((step) => ({ step, ...counts })));
    expect(await median(targetId)).toEqual([30, 2]);
  });

  it('keep unclean results out of every percentile, also of the day compared with, and say how many they were', async () => {
    const targetId = await insertTarget();
    const unclean = { prober: { loopDelayMs: 90, inFlight: 1, clean: false } };
    const mixed = (seconds: number, tls: number) => [
      at(targetId, seconds, tls),
      { ...at(targetId, seconds + 1, tls * 20), ...unclean },
      { ...at(targetId, seconds + 2, tls / 20), ...unclean },
    ];
    const seconds = Array.from({ length: 10 }, (_, index) => index * 300);
    await insertResults(seconds.flatMap((second) => [...mixed(second, 40), ...mixed(second - 86_400, 20)]));
    await drainRollups({ settled: true });

    const ask = (stat: string) => queryMatrix(MatrixQuery.parse({ target: targetId, stat, ...hourAndDayBefore }));
    const stats = ['p50', 'p75', 'p90', 'p95', 'p99', 'mean'];
    for (const { margins, unclean: leftOut } of await Promise.all(stats.map(ask))) {
      expect(leftOut).toBe(20);
      expect(margins.all).toMatchObject({ n: 10, compare: { n: 10 } });
      // A histogram knows a value to one of its bins, about 2%.
      expect((margins.all.value ?? 0) / 40).toBeCloseTo(1, 1);
      expect((margins.all.compare?.value ?? 0) / 20).toBeCloseTo(1, 1);
    }
    // They say nothing of times, but the server did answer.
    expect((await ask('availability')).margins.all).toMatchObject({ value: 1, n: 30 });
  });

  it('take in what arrives late, and answer rightly before the hour is computed anew', async () => {
    const targetId = await insertTarget();
    await insertResults([at(targetId, 100, 30)]);
    await drainRollups({ settled: true });
    await insertResults([at(targetId, 200, 50), at(targetId, 900, 70)]);
    await pumpRollups();
    // The hour still holds one result and is marked: the answer comes from its minutes.
    expect((await rollups(targetId)).map((row) => row.total)).toEqual([3, 1, 1]);
    expect((await median(targetId))[1]).toBe(3);
    await drainRollups({ settled: true });
    expect((await rollups(targetId)).map((row) => row.total)).toEqual([3, 3, 3]);
    expect((await median(targetId))[1]).toBe(3);
  });

  it('count a result that is sent again once', async () => {
    const targetId = await insertTarget();
    const batch = [at(targetId, 0, 30), at(targetId, 61, 31)];
    await insertResults(batch);
    await pumpRollups();
    await insertResults(batch);
    await drainRollups({ settled: true });
    expect((await rollups(targetId)).map((row) => row.total)).toEqual([2, 2, 2]);
  });

  it('lose nothing when results pour in while several processes compute', async () => {
    const targets = await Promise.all([insertTarget(), insertTarget()]);
    let pouring = true;
    const pour = async () => {
      for (let round = 0; round < 40; round++) {
        await Promise.all(
          targets.map((target) => insertResults([at(target, round % 7, 30), at(target, 60 + (round % 11), 40)])),
        );
      }
      pouring = false;
    };
    const pump = async () => {
      while (pouring) await pumpRollups({ settled: true });
    };
    await Promise.all([pour(), pump(), pump(), pump()]);
    await drainRollups({ settled: true });
    for (const target of targets) {
      expect((await rollups(target)).map((row) => row.total)).toEqual([80, 80, 80]);
    }
    const { rows } = await getPool().query('select count(*)::int as left from rollup_dirty');
    expect(rows).toEqual([{ left: 0 }]);
  });
});
