import { beforeAll, describe, expect, it } from 'vitest';
import { SeriesQuery } from '#contract/query.ts';
import { getPool } from '#server/database/database.ts';
import { writeSettingOnce } from '#server/database/settings.ts';
import { queryMatrix } from '#server/figures/matrix.ts';
import { querySeries, querySeriesForChart } from '#server/figures/series.ts';
import { drainRollups } from '#server/rollups/rollups.ts';
import { insertProber, insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

const MINUTE = 60_000;
/** The demo was made at 16:27 in China on a Wednesday, seven minutes into ten of the rollups. */
const MADE_AT = Date.UTC(2026, 10, 18, 8, 27);
const at = (minutes: number) => MADE_AT + minutes * MINUTE;
const iso = (minutes: number) => new Date(at(minutes)).toISOString();
/** After two minutes a carrier is congested for seven. */
const [CONGESTED, CLEAR] = [2, 9];
const FAR = ['CN-BJ', 'CN-GD', 'CN-XJ', 'CN-HI', 'CN-HL'].map((region) => makeVantage(region, 'mobile'));
/** What each vantage's handshakes take, ms: those far away take three times as long as the nearest. */
const usual = (index: number) => 20 + 10 * index;

let targetId: string;
prepareTestDatabase();
beforeAll(async () => {
  targetId = await insertTarget({ demo: true });
  await insertProber(FAR, true);
  await writeSettingOnce('demo_past', { from: at(-600) / 1_000, to: MADE_AT / 1_000 });
  const past = FAR.flatMap((vantage, index) =>
    // One probe in ten minutes, each vantage at a minute of its own.
    Array.from({ length: 60 }, (_, n) => ({ vantage, index, minute: -597 + index + 10 * n })),
  );
  const present = FAR.flatMap((vantage, index) =>
    Array.from({ length: 20 }, (_, minute) => ({ vantage, index, minute })),
  );
  const slower = (minute: number) => (minute >= CONGESTED && minute < CLEAR ? 55 : 0);
  await insertResults(
    [...past, ...present].map(({ vantage, index, minute }) =>
      makeResult({ targetId, vantage, startedAt: at(minute) + 500, tls: usual(index) + slower(minute) }),
    ),
  );
  await drainRollups({ settled: true });
});

const query = (from: number, to: number, more: object = {}) =>
  SeriesQuery.parse({ target: targetId, from: iso(from), to: iso(to), groupBy: 'carrier', ...more });

describe("the first hour of the demo's trend", () => {
  it('has the measured minutes, in which the congestion is seen, beside the generated ten minutes', async () => {
    const chart = await querySeriesForChart(query(-40, 20));
    expect(chart).toMatchObject({ stepSeconds: 60, generatedUntil: iso(0) });
    const points = chart.series[0]?.points ?? [];
    expect(points.map(([instant]) => instant)).toEqual(Array.from({ length: 60 }, (_, n) => iso(n - 40)));
    const values = new Map(points.map(([instant, value]) => [instant, value]));
    const middle = usual(2);
    for (let minute = 0; minute < 20; minute += 1) {
      const expected = minute >= CONGESTED && minute < CLEAR ? middle + 55 : middle;
      expect((values.get(iso(minute)) ?? 0) / expected, `minute ${minute}`).toBeCloseTo(1, 1);
    }
    // The generated ones are level: no point is of other vantages than the one before.
    for (let minute = -37; minute < 0; minute += 1) expect((values.get(iso(minute)) ?? 0) / middle).toBeCloseTo(1, 1);
  });

  it.each([
    [-160, 60],
    [-340, 300],
  ])('draws minutes as minutes in a range from %d min (step %d s), and loses none', async (from, stepSeconds) => {
    const chart = await querySeriesForChart(query(from, 20));
    const api = await querySeries(query(from, 20));
    expect([chart.stepSeconds, api.stepSeconds]).toEqual([stepSeconds, stepSeconds]);
    const measured = (series: typeof api) => series.series[0]?.points.filter(([instant]) => instant >= iso(0));
    expect(measured(chart)).toEqual(measured(api));
    expect(chart.series[0]?.points.every(([, value]) => value !== null)).toBe(true);
  });

  it('is answered by the API with one step and with what was there in each of them alone', async () => {
    const { stepSeconds, series } = await querySeries(query(-40, 20));
    expect(stepSeconds).toBe(60);
    const [line] = series;
    const { margins } = await queryMatrix({
      target: targetId,
      metric: 'tls',
      stat: 'p50',
      from: iso(-40),
      to: iso(20),
    });
    expect(line?.points.reduce((sum, [, , n]) => sum + n, 0)).toBe(margins.all.n);
    expect(line?.points.some(([instant, value, n]) => instant < iso(0) && value === null && n === 0)).toBe(true);
  });

  it('leaves ranges in which all was generated, and those of long steps, as they are', async () => {
    const generated = query(-120, -10);
    expect(await querySeriesForChart(generated)).toEqual(await querySeries(generated));
    expect((await querySeries(generated)).stepSeconds).toBe(600);
    const long = query(-1_400, 20);
    expect(await querySeriesForChart(long)).toEqual(await querySeries(long));
    expect((await querySeries(long)).stepSeconds).toBe(600);
    expect((await getPool().query('select count(*)::int as n from rollup_minute')).rows[0].n).toBeGreaterThan(100);
  });
});
