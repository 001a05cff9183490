import { beforeAll, describe, expect, it, vi } from 'vitest';
import { targetFigures } from '#app/targets/[id]/figures.ts';
import { type Filter, readFilter } from '#components/filters/filter.ts';
import { Matrix, MatrixQuery } from '#contract/query.ts';
import type { VantageRef } from '#contract/result.ts';
import { worstCells } from '#contract/target-summary.ts';
import { translator } from '#i18n/translator.ts';
import type { Ui } from '#i18n/ui.ts';
import { getPool } from '#server/database/database.ts';
import { queryMatrix } from '#server/figures/matrix.ts';
import { listTargetSummaries } from '#server/figures/target-summaries.ts';
import { drainRollups } from '#server/rollups/rollups.ts';
import { insertProber, insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
/** The home page asks the real clock: all that was measured lies within the minute before this one, and the day before. */
const now = Math.floor(Date.now() / MINUTE) * MINUTE;

let targetId: string;
/** Measured from several countries. */
let worldwideId: string;

/** `n` results, a second apart, that end at `end`. */
function many(vantage: VantageRef | undefined, n: number, end: number, tls: number, target = targetId) {
  if (!vantage) throw new Error('no vantage');
  return Array.from({ length: n }, (_, index) =>
    makeResult({ targetId: target, vantage, startedAt: end - 1_000 * (index + 1), tls }),
  );
}

prepareTestDatabase();
beforeAll(async () => {
  targetId = await insertTarget({ demo: true });
  worldwideId = await insertTarget();
  const places = [
    makeVantage('CN-GD', 'mobile'),
    makeVantage('CN-BJ', 'telecom'),
    makeVantage('CN-BJ', 'telecom'),
    makeVantage('US-CA', 'comcast'),
    makeVantage('US-NY', 'comcast'),
    makeVantage('HK-HCW', 'pccw'),
  ];
  await insertProber(places);
  const [guangdong, beijing, beijingToo, california, newYork, hongKong] = places;
  await insertResults([
    ...many(guangdong, 10, now, 50),
    ...many(beijing, 30, now, 20),
    ...many(beijingToo, 10, now, 30),
    ...many(california, 3, now, 150),
    ...many(beijing, 20, now - 24 * HOUR, 10),
    ...many(beijing, 10, now, 20, worldwideId),
    ...many(hongKong, 30, now, 60, worldwideId),
    ...many(california, 10, now, 150, worldwideId),
    ...many(newYork, 30, now, 230, worldwideId),
    ...many(newYork, 30, now - 24 * HOUR, 115, worldwideId),
  ]);
  await drainRollups({ settled: true });
});

const ask = (query: Record<string, string> = {}) => queryMatrix(MatrixQuery.parse({ target: targetId, ...query }));
const iso = (ms: number) => new Date(ms).toISOString();
const hour = { from: iso(now - HOUR), to: iso(now) };
const yesterday = { compareFrom: iso(now - 25 * HOUR), compareTo: iso(now - 24 * HOUR) };

describe('a matrix', () => {
  it('has every region by every carrier, in the order of their country, with margins over all samples', async () => {
    const matrix = await ask(hour);
    expect(Matrix.parse(matrix)).toEqual(matrix);
    expect(matrix).toMatchObject({ demo: true, unit: 'ms', unclean: 0, ...hour });
    expect(matrix.regions).toEqual(['CN-BJ', 'CN-GD', 'US-CA']);
    expect(matrix.carriers).toEqual(['telecom', 'mobile', 'comcast']);
    expect(matrix.cells).toHaveLength(9);
    expect(matrix.cells.find((cell) => cell.region === 'CN-BJ' && cell.carrier === 'telecom')).toMatchObject({
      value: expect.closeTo(20, 0),
      n: 40,
      compare: null,
    });
    expect(matrix.cells.find((cell) => cell.region === 'CN-GD' && cell.carrier === 'telecom')).toMatchObject({
      value: null,
      n: 0,
    });
    expect(matrix.margins.all.n).toBe(53);
    expect(matrix.margins.carriers.map((margin) => margin.n)).toEqual([40, 10, 3]);
  });

  it('weighs the places of a margin by their results', async () => {
    const { margins } = await ask({ ...hour, stat: 'mean' });
    expect(margins.regions[0]).toMatchObject({ region: 'CN-BJ', value: 22.5, n: 40 });
  });

  it('has a margin of each country over the samples of its regions, Hong Kong a region of China whatever its code', async () => {
    const asked = { target: worldwideId, ...hour, ...yesterday, stat: 'mean' };
    const { regions, margins } = await ask(asked);
    expect(regions).toEqual(['CN-BJ', 'HK-HCW', 'US-CA', 'US-NY']);
    expect(margins.countries).toMatchObject([
      { country: 'CN', value: 50, n: 40, compare: { value: null, n: 0, change: null } },
      { country: 'US', value: 210, n: 40, compare: { value: 115, n: 30, change: expect.closeTo(210 / 115 - 1, 3) } },
    ]);
  });

  it('compares with another range', async () => {
    const { cells, margins } = await ask({ ...hour, ...yesterday });
    expect(cells[0]).toMatchObject({
      region: 'CN-BJ',
      compare: { value: expect.closeTo(10, 0), n: 20, change: expect.closeTo(1, 1) },
    });
    expect(margins.carriers[1]).toMatchObject({ carrier: 'mobile', compare: { value: null, n: 0, change: null } });
  });

  it('is narrowed by place', async () => {
    const matrix = await ask({ ...hour, country: 'CN', carrier: 'telecom,unicom' });
    expect([matrix.regions, matrix.carriers, matrix.margins.all.n]).toEqual([['CN-BJ'], ['telecom'], 40]);
  });

  it('shows availability with the number of results it rests on', async () => {
    expect((await ask({ ...hour, stat: 'availability' })).margins.all).toMatchObject({ value: 1, n: 53 });
  });
});

describe('the overview of a target', () => {
  const ui: Ui = { locale: 'en', t: translator('en'), timeZone: 'UTC', theme: 'light' };
  const filter: Filter = { ...readFilter({}, now), ...hour };
  const target = () => ({ id: targetId, demo: true });

  it('has a card a carrier, the change against yesterday and the worst cells that have enough results', async () => {
    const { carriers, matrix, figures } = await targetFigures(ui, target(), { ...filter, against: 'day' });
    expect(carriers.map((card) => [card.carrier, card.n])).toEqual([
      ['telecom', 40],
      ['mobile', 10],
      ['comcast', 3],
    ]);
    expect(carriers[0]).toMatchObject({ availability: 1, change: expect.closeTo(1, 1) });
    expect(figures.map(({ unit }) => unit)).toEqual(['ms', 'ms', 'ratio', 'roundTrips', 'ms']);
    expect(worstCells(matrix, 5).map((cell) => [cell.region, cell.n])).toEqual([
      ['CN-GD', 10],
      ['CN-BJ', 40],
    ]);
  });

  it('has the median of each phase, everywhere and in each region', async () => {
    const { phases, figures } = await targetFigures(ui, target(), filter);
    const [dns, , tls, , download] = phases.regions.get('CN-BJ') ?? [];
    expect([dns, tls, download]).toEqual([expect.closeTo(1.2, 1), expect.closeTo(20, 0), expect.closeTo(0.31, 1)]);
    expect([...phases.regions.keys()].sort()).toEqual(['CN-BJ', 'CN-GD', 'US-CA']);
    expect(phases.all[2]).toBe(figures[0]?.value);
  });

  it('reads all metrics of both ranges in one go, its failures included', async () => {
    const pool = getPool();
    const query = vi.spyOn(pool, 'query');
    await targetFigures(ui, target(), { ...filter, stat: 'p99', against: 'day' });
    const asked = query.mock.calls.map((call: unknown[]) => JSON.stringify(call[0]));
    query.mockRestore();
    // Every read begins with what is still to be computed of its range.
    expect(asked.filter((sql) => sql.includes('from rollup_dirty'))).toHaveLength(1);
    expect(asked.filter((sql) => sql.includes('from vantage'))).toHaveLength(1);
    expect(asked.filter((sql) => sql.includes('from target where'))).toEqual([]);
  });

  it('sets times against the usual level of each place, and nothing where that is not known', async () => {
    const before = await targetFigures(ui, target(), filter);
    expect(before.matrix.cells.map(({ compare }) => compare)).toEqual(before.matrix.cells.map(() => null));
    const tls = { levels: Array(6).fill(10), since: null };
    await getPool().query(
      `insert into target_usual (target_id, at, levels, overall)
        select $1, now(), (select jsonb_object_agg(id, $2::jsonb) from vantage), '{"country": "", "metrics": {}}'`,
      [targetId, JSON.stringify({ tls })],
    );
    const { matrix, carriers } = await targetFigures(ui, target(), filter);
    const telecom = matrix.cells.find(({ region, carrier }) => region === 'CN-BJ' && carrier === 'telecom');
    expect(telecom?.usual).toBeGreaterThan(0);
    expect(telecom?.compare).toEqual({
      value: telecom?.usual,
      n: 40,
      change: (telecom?.value ?? 0) / (telecom?.usual ?? 1) - 1,
    });
    expect(carriers[0]?.change).toBe(telecom?.compare?.change);
  });

  it('counts no vantage in a usual level that had fallen silent before', async () => {
    const { rows } = await getPool().query<{ id: string; region: string }>('select id, region from vantage');
    const until = (now - 48 * HOUR) / 1_000;
    const usual = { 'HK-HCW': [20, { until }], 'US-CA': [25, { until }], 'US-NY': [80, {}] } as const;
    const levels = rows.flatMap(({ id, region }) =>
      Object.entries(usual).flatMap(([own, [level, more]]) =>
        own === region ? [[id, { tls: { levels: Array(6).fill(level), since: null, ...more } }]] : [],
      ),
    );
    await getPool().query(
      `insert into target_usual (target_id, at, levels, overall) values ($1, now(), $2, '{"country": "", "metrics": {}}')`,
      [worldwideId, JSON.stringify(Object.fromEntries(levels))],
    );
    const usualOf = async (range: { from: string; to: string }) =>
      (await ask({ target: worldwideId, ...range })).margins.all.usual;
    expect(await usualOf(hour)).toBe(80);
    expect(await usualOf({ from: iso(now - 49 * HOUR), to: iso(now - 48 * HOUR) })).toBe(25);
  });

  it('is one line of the home page', async () => {
    const summary = (await listTargetSummaries()).find(({ id }) => id === targetId);
    expect(summary).toMatchObject({ demo: true, availability: 1, worst: { region: 'CN-GD' } });
    expect(summary?.sparkline).toHaveLength(24);
    expect(summary?.lastResultAt).toBe(iso(now - 1_000));
  });
});
