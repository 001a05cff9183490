import { v7 } from 'uuid';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { Series, SeriesQuery } from '#contract/query.ts';
import type { VantageRef } from '#contract/result.ts';
import { getPool } from '#server/database/database.ts';
import { type Lines, querySeries, readCharts } from '#server/figures/series.ts';
import { drainRollups, pumpRollups } from '#server/rollups/rollups.ts';
import { readPlaces } from '#server/vantages/labels.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { insertProber, insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

const HOUR = 3_600_000;
/** The beginning of three hours that are a slot of their own, by UTC. */
const base = WEDNESDAY;
const iso = (offsetMs: number) => new Date(base + offsetMs).toISOString();

let targetId: string;
let places: VantageRef[];
prepareTestDatabase();
beforeAll(async () => {
  targetId = await insertTarget();
  places = [makeVantage('CN-BJ', 'telecom'), makeVantage('CN-BJ', 'mobile'), makeVantage('CN-GD', 'telecom')];
  await insertProber(places);
  // Beijing Telecom 20 ms, Beijing Mobile 40, Guangdong Telecom 60: each minute of three hours.
  const results = places.flatMap((vantage, index) =>
    Array.from({ length: 180 }, (_, minute) =>
      makeResult({ targetId, vantage, startedAt: base + minute * 60_000 + 500, tls: 20 * (index + 1) }),
    ),
  );
  await insertResults(results);
  await drainRollups({ settled: true });
});

const ask = (query: Record<string, string>) => querySeries(SeriesQuery.parse({ target: targetId, ...query }));
const threeHours = { from: iso(0), to: iso(3 * HOUR) };

describe('a series', () => {
  it('has a point for every step, null and 0 where nothing was measured', async () => {
    const series = await ask({ from: iso(-HOUR), to: iso(4 * HOUR), step: '3600' });
    expect(Series.parse(series)).toEqual(series);
    expect(series.series).toHaveLength(1);
    expect(series.series[0]?.points.map(([at, value, n]) => [at, value, n])).toEqual([
      [iso(-HOUR), null, 0],
      [iso(0), expect.closeTo(40, 0), 180],
      [iso(HOUR), expect.closeTo(40, 0), 180],
      [iso(2 * HOUR), expect.closeTo(40, 0), 180],
      [iso(3 * HOUR), null, 0],
    ]);
  });

  it('gives the same from minutes, tens and hours', async () => {
    for (const step of ['60', '300', '600', '1800', '3600', '10800', '86400']) {
      const { series } = await ask({ ...threeHours, step, stat: 'count', groupBy: 'region' });
      const sums = series.map((line) => [line.labels.region, line.points.reduce((sum, point) => sum + point[2], 0)]);
      expect(sums, `step ${step}`).toEqual([
        ['CN-BJ', 360],
        ['CN-GD', 180],
      ]);
    }
  });

  it('cuts the range at the minute, whatever the step', async () => {
    const { series, from, to } = await ask({ from: iso(90_500), to: iso(HOUR + 10_000), step: '3600' });
    expect([from, to]).toEqual([iso(60_000), iso(HOUR + 60_000)]);
    expect(series[0]?.points.map((point) => point[2])).toEqual([59 * 3, 3]);
  });

  it('groups by any labels and filters by any place', async () => {
    const byCarrier = await ask({ ...threeHours, step: '10800', groupBy: 'carrier', stat: 'mean' });
    expect(byCarrier.series.map((line) => [line.labels, line.points[0]?.[1]])).toEqual([
      [{ carrier: 'telecom' }, 40],
      [{ carrier: 'mobile' }, 40],
    ]);
    const one = await ask({
      ...threeHours,
      step: '10800',
      groupBy: 'region,carrier,vantage',
      vantage: places[2]?.id ?? '',
    });
    expect(one.series.map((line) => line.labels)).toEqual([
      { region: 'CN-GD', carrier: 'telecom', vantage: places[2]?.id },
    ]);
    const beijing = await ask({ ...threeHours, step: '10800', region: 'CN-BJ', stat: 'p99' });
    expect(beijing.series[0]?.points[0]).toEqual([expect.any(String), expect.closeTo(40, 0), 360]);
  });

  it('is the same among several of one range, which are read in one go', async () => {
    const several: Lines[] = [
      { metric: 'tls', stat: 'p50', groupBy: [] },
      { metric: 'tls', stat: 'p95', groupBy: [] },
      { metric: 'tls', stat: 'p50', groupBy: ['region', 'carrier'] },
      { metric: 'tls', stat: 'mean', groupBy: ['carrier'] },
      { metric: 'tcp', stat: 'p50', groupBy: [] },
    ];
    const query = vi.spyOn(getPool(), 'query');
    const charts = await readCharts({ id: targetId, demo: false }, threeHours, several, await readPlaces({}));
    const sent = query.mock.calls.map(([given]: unknown[]) => JSON.stringify(given));
    query.mockRestore();
    for (const each of ['from rollup_dirty', 'from target_usual', 'from vantage'])
      expect(
        sent.filter((sql) => sql.includes(each)),
        each,
      ).toHaveLength(1);
    // Three hours are three rows of an hour: those of all vantages together and of each, once for all that is asked of them.
    const tiers = sent.filter((sql) => sql.includes('string_agg'));
    expect(tiers.map((sql) => JSON.parse(sql).values[0].length)).toEqual([3]);
    const alone = await Promise.all(several.map((lines) => querySeries({ ...lines, target: targetId, ...threeHours })));
    expect(charts.map(({ whole }) => whole)).toEqual(alone);
  });

  it('tells of the last 24 hours where no range is given, in a step that suits a chart', async () => {
    const series = await ask({});
    expect(Date.parse(series.to) - Date.parse(series.from)).toBe(24 * HOUR);
    expect(series.stepSeconds).toBe(600);
  });

  it('refuses a step that gives too many points, an unknown target and a range that is too long', async () => {
    await expect(ask({ from: iso(-100 * HOUR), to: iso(0), step: '60' })).rejects.toMatchObject({
      code: 'invalid',
      fields: [{ field: 'step' }],
    });
    await expect(ask({ target: v7() })).rejects.toMatchObject({ code: 'not_found' });
    await expect(ask({ from: '2020-01-01T00:00:00Z' })).rejects.toMatchObject({ fields: [{ field: 'from' }] });
    await expect(ask({ from: '2037-12-31T00:00:00Z' })).rejects.toMatchObject({ fields: [{ field: 'from' }] });
  });

  it('shows a result within one turn of the job', async () => {
    const fresh = await insertTarget();
    const [vantage] = places;
    if (!vantage) throw new Error('no vantage');
    await insertResults([makeResult({ targetId: fresh, vantage, startedAt: Date.now() - 1_000, tls: 33 })]);
    await pumpRollups();
    const { series } = await ask({ target: fresh });
    expect(series[0]?.points.reduce((sum, point) => sum + point[2], 0)).toBe(1);
  });
});
