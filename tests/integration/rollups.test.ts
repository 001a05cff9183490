import { describe, expect, it, vi } from 'vitest';
import { MatrixQuery, SeriesQuery } from '#contract/query.ts';
import type { StorableResult } from '#contract/result.ts';
import { METRICS } from '#contract/vocabulary.ts';
import { getPool } from '#server/database/database.ts';
import { queryMatrix } from '#server/figures/matrix.ts';
import { querySeries } from '#server/figures/series.ts';
import { readRanges, readRollups } from '#server/rollups/read.ts';
import { drainRollups, logMinutes, pumpRollups } from '#server/rollups/rollups.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { insertProber, insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

const vantage = makeVantage('CN-GD', 'telecom');
prepareTestDatabase([vantage]);

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
      union all select 3600, ${columns}, sum(unclean)::int from rollup_hour where target_id = $1
      union all select 86400, ${columns}, sum(unclean)::int from rollup_day where target_id = $1 order by step`,
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

describe('a minute that is over', () => {
  it('stays open while the results of a batch in it are not committed everywhere', async () => {
    const targetId = await insertTarget();
    await drainRollups({ settled: true });
    const minute = Math.floor(Date.now() / 60_000) - 3;
    // The transaction of the batch sees its own row of the log and holds its own number, as others see it on a cluster while nodes commit.
    const batch = await getPool().connect();
    const pool = vi.spyOn(getPool(), 'query');
    try {
      await batch.query('begin');
      await batch.query('update rollup_progress set open_from = $1', [minute - 2]);
      const startedAt = new Date(minute * 60_000).toISOString();
      await logMinutes(batch, [{ targetId, startedAt }]);
      pool.mockImplementation(batch.query.bind(batch) as typeof batch.query & (() => void));
      await pumpRollups();
    } finally {
      pool.mockRestore();
      await batch.query('commit');
      batch.release();
    }
    // Another connection, which sees the row of the log now.
    const state = async () => {
      const { rows } = await getPool().query<{ open: number; logged: number; marked: number }>(
        `select open_from as open, (select count(*)::int from rollup_log where minute = $1) as logged,
          (select count(*)::int from rollup_dirty where target_id = $2 and step = 60) as marked from rollup_progress`,
        [minute, targetId],
      );
      return rows[0];
    };
    expect(await state()).toEqual({ open: minute, logged: 1, marked: 0 });
    await pumpRollups();
    const closed = await state();
    expect(closed).toMatchObject({ logged: 0, marked: 0 });
    expect(closed?.open).toBeGreaterThan(minute);
  });
});

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
    expect(await rollups(targetId)).toEqual([60, 600, 3_600, 86_400].map((step) => ({ step, ...counts })));
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
      // A histogram knows a value to one of its bins, less than 1%.
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
    expect((await rollups(targetId)).map((row) => row.total)).toEqual([3, 1, 1, 1]);
    expect((await median(targetId))[1]).toBe(3);
    await drainRollups({ settled: true });
    expect((await rollups(targetId)).map((row) => row.total)).toEqual([3, 3, 3, 3]);
    expect((await median(targetId))[1]).toBe(3);
  });

  it('count a result that is sent again once', async () => {
    const targetId = await insertTarget();
    const batch = [at(targetId, 0, 30), at(targetId, 61, 31)];
    await insertResults(batch);
    await pumpRollups();
    await insertResults(batch);
    await drainRollups({ settled: true });
    expect((await rollups(targetId)).map((row) => row.total)).toEqual([2, 2, 2, 2]);
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
      expect((await rollups(target)).map((row) => row.total)).toEqual([80, 80, 80, 80]);
    }
    const { rows } = await getPool().query('select count(*)::int as left from rollup_dirty');
    expect(rows).toEqual([{ left: 0 }]);
  });

  describe('of minutes that are not over', () => {
    const counted = async (targetId: string, step: number | null = null) => {
      const now = Math.ceil(Date.now() / 60_000) * 60;
      const range = { targetId, from: now - 3_600, to: now, step, metric: 'tls' } as const;
      const cells = await readRollups({ ...range, groups: new Map([[vantage.id, 0]]) });
      return cells.map(({ summary: { total, failedProber, histogram } }) => [total, failedProber, histogram.sum]);
    };
    const startedAt = (secondsAgo: number) => Date.now() - secondsAgo * 1_000;

    it('are read from the results, and computed once the minute is over', async () => {
      const targetId = await insertTarget();
      const failure = { phase: 'tls', reason: 'prober_offline', source: 'prober', message: '' } as const;
      const now = makeResult({ targetId, vantage, startedAt: startedAt(1), tls: 40 });
      await insertResults([now, { ...makeResult({ targetId, vantage, startedAt: startedAt(2) }), ok: false, failure }]);
      expect(await counted(targetId)).toEqual([[2, 1, 40_000]]);
      await drainRollups();
      expect(await rollups(targetId)).toMatchObject([
        { total: null },
        { total: null },
        { total: null },
        { total: null },
      ]);
      expect(await counted(targetId)).toEqual([[2, 1, 40_000]]);
      // Over, and read from either: nothing counts twice.
      await drainRollups({ settled: true });
      expect((await rollups(targetId)).map((row) => row.total)).toEqual([2, 2, 2, 2]);
      expect(await counted(targetId)).toEqual([[2, 1, 40_000]]);
    });

    it('lie in the slot in which they began, to the last millisecond, before and after they are computed', async () => {
      const targetId = await insertTarget();
      await getPool().query('update rollup_progress set open_from = 0');
      const minute = Math.floor(startedAt(600) / 60_000) * 60_000;
      await insertResults(
        [0, 59_999, 60_000].map((ms) => makeResult({ targetId, vantage, startedAt: minute + ms, tls: 10 })),
      );
      const slots = async (step: number) => {
        const range = { targetId, from: minute / 1_000, to: minute / 1_000 + 120, step, metric: 'tls' } as const;
        const cells = await readRollups({ ...range, groups: new Map([[vantage.id, 0]]) });
        return cells.map(({ slot, summary: { total } }) => [slot - minute / 1_000, total]).sort();
      };
      const expected = [
        [0, 2],
        [60, 1],
      ];
      expect(await slots(60)).toEqual(expected);
      await drainRollups({ settled: true });
      expect(await slots(60)).toEqual(expected);
    });

    it('are complete at every moment of their closing', async () => {
      const targetId = await insertTarget();
      await getPool().query('update rollup_progress set open_from = 0');
      await insertResults(
        Array.from({ length: 30 }, (_, index) =>
          makeResult({ targetId, vantage, startedAt: startedAt(30 + index * 20), tls: 10 }),
        ),
      );
      let closing = true;
      const close = async () => {
        await pumpRollups();
        await pumpRollups({ settled: true });
        await drainRollups({ settled: true });
        closing = false;
      };
      const watch = async () => {
        const seen = new Set<string>();
        while (closing) seen.add(JSON.stringify(await counted(targetId)));
        return seen;
      };
      const [, seen] = await Promise.all([close(), watch()]);
      expect([...seen]).toEqual([JSON.stringify([[30, 0, 300_000]])]);
    });

    it('are read from the results for half an hour where nobody computes them, as many targets at once', async () => {
      const targets = await Promise.all([insertTarget(), insertTarget()]);
      const before = makeVantage('CN-BJ', 'unicom');
      await insertProber([before]);
      await getPool().query('update rollup_progress set open_from = 0');
      await insertResults(
        targets.flatMap((targetId, index) => [
          makeResult({ targetId, vantage, startedAt: startedAt(1_000), tls: 20 + index }),
          makeResult({ targetId, vantage: before, startedAt: startedAt(900), tls: 100 }),
        ]),
      );
      const now = Math.ceil(Date.now() / 60_000) * 60;
      const range = { from: now - 3_600, to: now, step: null, metric: 'tls' } as const;
      const sums = async (groups: Map<string, number> | null) =>
        (await readRanges(targets.map((targetId) => ({ ...range, targetId, groups })))).map((cells) =>
          cells.map(({ summary: { total, histogram } }) => [total, histogram.sum]),
        );
      const own = [[[1, 20_000]], [[1, 21_000]]];
      const all = [[[2, 120_000]], [[2, 121_000]]];
      expect(await sums(new Map([[vantage.id, 0]]))).toEqual(own);
      expect(await sums(null)).toEqual(all);
      await drainRollups({ settled: true });
      expect(await sums(new Map([[vantage.id, 0]]))).toEqual(own);
      expect(await sums(null)).toEqual(all);
    });
  });

  it('give of all vantages at once what they give of each', async () => {
    const targetId = await insertTarget();
    const other = makeVantage('CN-BJ', 'mobile');
    await insertProber([other]);
    await insertResults(
      [vantage, other].flatMap((each, index) =>
        [5, 700, 4_000].map((second) =>
          makeResult({
            targetId,
            vantage: each,
            startedAt: base + second * 1_000,
            tls: 20 + index * 30 + second / 100,
          }),
        ),
      ),
    );
    await drainRollups({ settled: true });
    const day = Math.floor(base / 86_400_000) * 86_400;
    const both = new Map([vantage, other].map(({ id }) => [id, 0]));
    for (const step of [null, 86_400, 3_600, 600, 60]) {
      const range = { targetId, from: day, to: day + 86_400, step, metric: 'tls' } as const;
      const [all, each] = await Promise.all([
        readRollups({ ...range, groups: null }),
        readRollups({ ...range, groups: both }),
      ]);
      const inOrder = (cells: typeof all) => cells.toSorted((a, b) => a.slot - b.slot);
      expect(inOrder(all)).toEqual(inOrder(each));
      expect(all.reduce((sum, { summary }) => sum + summary.histogram.count, 0)).toBe(6);
    }
    const { rows } = await getPool().query(
      'select whole is null as none from rollup_hour where target_id = $1 and metric = 3',
      [targetId],
    );
    expect(rows).toEqual([{ none: false }, { none: false }]);
  });

  it('are read in no time while the minutes of a day wait', async () => {
    const targetId = await insertTarget();
    const day = Math.floor(base / 86_400_000) * 86_400;
    await getPool().query(
      `insert into rollup_dirty (target_id, step, bucket)
        select $1, 60, to_timestamp($2 + minute * 60) from generate_series(0, 7 * 1440 - 1) as minute`,
      [targetId, day],
    );
    const range = { targetId, from: day, to: day + 7 * 86_400, step: null, metric: 'tls', groups: null } as const;
    const tookMs: number[] = [];
    for (let n = 0; n < 5; n++) {
      const begin = performance.now();
      expect(await readRollups(range)).toEqual([]);
      tookMs.push(performance.now() - begin);
    }
    // The least that a busy machine disturbed.
    expect(Math.min(...tookMs)).toBeLessThan(1_000);
    await getPool().query('delete from rollup_dirty where target_id = $1', [targetId]);
  });

  it('write a row a metric and minute, whatever the number of vantages, and one row of the log a batch and minute', async () => {
    const many = Array.from({ length: 40 }, (_, index) => makeVantage('CN-GD', `carrier${index}`));
    await insertProber(many);
    const targets = await Promise.all([insertTarget(), insertTarget()]);
    await insertResults(
      targets.flatMap((targetId) =>
        many.map((each) => makeResult({ targetId, vantage: each, startedAt: base + 7_200_000 })),
      ),
    );
    const { rows: logged } = await getPool().query(
      'select minute, cardinality(target_ids) as targets from rollup_log where target_ids && $1',
      [targets],
    );
    expect(logged).toEqual([{ minute: (base + 7_200_000) / 60_000, targets: 2 }]);
    await pumpRollups({ settled: true });
    const { rows } = await getPool().query<{ n: number; bytes: number }>(
      'select count(*)::int as n, sum(length(cells))::int as bytes from rollup_minute where target_id = any($1)',
      [targets],
    );
    expect(rows[0]?.n).toBeLessThanOrEqual(2 * (METRICS.length + 1));
    expect((rows[0]?.bytes ?? 0) / 80).toBeLessThan(60);
  });
});
