import { v7 } from 'uuid';
import { beforeAll, expect, it } from 'vitest';
import { Matrix, MatrixQuery, Series, SeriesQuery } from '#contract/query.ts';
import type { VantageRef } from '#contract/result.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { ensurePartitions } from '#server/database/partitions.ts';
import { queryMatrix } from '#server/figures/matrix.ts';
import { querySeries } from '#server/figures/series.ts';
import { listTargetSummaries } from '#server/figures/target-summaries.ts';
import { computeUsual, readUsual, refreshUsual } from '#server/figures/usual.ts';
import { cellOf } from '#server/incidents/stored-incident.ts';
import { drainRollups } from '#server/rollups/rollups.ts';
import { insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Lists of targets ask the real clock. */
const now = Math.floor(Date.now() / MINUTE) * MINUTE;
/** Whatever day it is: nine days at 40 ms and six at 61 have three working days each, and the nine a weekend. */
const RISE = now - 6 * DAY;
const vantages = ['CN-GD', 'CN-BJ'].map((region) => makeVantage(region, 'telecom'));

let targetId: string;
prepareTestDatabase(vantages);
beforeAll(async () => {
  targetId = await insertTarget();
  await ensurePartitions(Array.from({ length: 17 }, (_, day) => now - day * DAY));
  for (const vantage of vantages) {
    const results = [];
    for (let at = now - 15 * DAY; at < now; at += 20 * MINUTE)
      results.push(makeResult({ targetId, vantage, startedAt: at, tls: at < RISE ? 40 : 61 }));
    await insertResults(results);
  }
  await drainRollups({ settled: true });
}, 300_000);

const iso = (ms: number) => new Date(ms).toISOString();
const matrix = (more: Record<string, string> = {}) =>
  queryMatrix(MatrixQuery.parse({ target: targetId, from: iso(now - 60 * MINUTE), to: iso(now), ...more }));
const summary = async () => (await listTargetSummaries())[0];

/** Says of a vantage that its level was accepted, as an incident does that is; dated now, or when it was due. */
async function accept({ id, region, carrier }: VantageRef, resolvedAt = new Date()): Promise<void> {
  const series = { targetId, vantageId: id ?? null, region, carrier, kind: 'regression', metric: 'tls' } as const;
  const cells = [cellOf({ ...series, at: new Date(RISE), beforeMs: 40, afterMs: 61 })];
  const ended = { status: 'resolved', resolution: 'accepted', resolvedAt };
  const times = { openedAt: new Date(RISE), onsetAt: new Date(RISE) };
  const incidentId = v7();
  await getPrisma().incident.create({
    data: {
      id: incidentId,
      kind: 'regression',
      groupKey: id ?? '',
      groups: [],
      severity: 'warning',
      cells,
      ...ended,
      ...times,
    },
  });
  const event = { incidentId, at: resolvedAt, kind: 'accepted', text: '', params: { reason: 'small' } };
  await getPrisma().incidentEvent.create({ data: { id: v7(), ...event } });
}

it('what a series was at its best for days stays its usual level until the new one is accepted', {
  timeout: 120_000,
}, async () => {
  expect((await matrix()).margins.all).toMatchObject({ usual: null });
  expect(await refreshUsual()).toBe(1);
  expect(await refreshUsual()).toBe(0);

  const shown = await matrix();
  expect(Matrix.parse(shown)).toEqual(shown);
  expect(shown.margins.all.value).toBeCloseTo(61, 0);
  expect(shown.margins.all.usual).toBeCloseTo(40, 0);
  expect(shown.cells.map(({ usual }) => Math.round(usual ?? 0))).toEqual([40, 40]);
  expect((await matrix({ stat: 'p95' })).margins.all).not.toHaveProperty('usual');
  expect((await matrix({ metric: 'total' })).margins.all).not.toHaveProperty('usual');
  expect((await matrix({ variant: 'resumed' })).margins.all).not.toHaveProperty('usual');

  const asked = { target: targetId, from: iso(now - DAY), to: iso(now), step: '3600', groupBy: 'region' };
  const series = await querySeries(SeriesQuery.parse(asked));
  expect(Series.parse(series)).toEqual(series);
  for (const { points, usual } of series.series) {
    expect(usual).toHaveLength(points.length);
    expect(usual?.every((level) => level !== null && Math.abs(level - 40) < 1)).toBe(true);
  }
  expect((await querySeries(SeriesQuery.parse({ ...asked, stat: 'mean' }))).series[0]).not.toHaveProperty('usual');

  const slower = await summary();
  expect(slower?.usual.tls).toBeCloseTo(40, 0);
  expect(slower?.usualHours.map((level) => Math.round(level ?? 0))).toEqual(Array(24).fill(40));
  const since = Date.parse(slower?.slowerSince ?? '');
  // The first whole part of a day that was slower.
  expect(since).toBeGreaterThanOrEqual(RISE - 10 * 60 * MINUTE);
  expect(since).toBeLessThanOrEqual(RISE + 10 * 60 * MINUTE);

  const [first, second] = vantages as [VantageRef, VantageRef];
  await accept(first);
  expect(await refreshUsual()).toBe(1);
  const byRegion = new Map((await matrix()).cells.map(({ region, usual }) => [region, Math.round(usual ?? 0)]));
  expect(byRegion).toEqual(
    new Map([
      ['CN-GD', 61],
      ['CN-BJ', 40],
    ]),
  );
  // By itself: dated two days after its onset, and written now.
  await accept(second, new Date(RISE + 2 * DAY));
  expect(await refreshUsual()).toBe(1);
  expect(await refreshUsual()).toBe(0);
  expect(await summary()).toMatchObject({ usual: { tls: expect.closeTo(61, 0) }, slowerSince: null });
});

it('is looked for again after five minutes where there was none, as before a history is loaded', async () => {
  const young = await insertTarget({ name: 'young' });
  expect(await refreshUsual()).toBe(1);
  expect(await refreshUsual()).toBe(0);
  await getPool().query("update target_usual set at = now() - interval '301 seconds' where target_id = $1", [young]);
  expect(await refreshUsual()).toBe(1);
  expect(await refreshUsual()).toBe(0);
});

it('is not known of a series that no part of a day has ten results of', async () => {
  const seldom = await insertTarget({ name: 'seldom' });
  expect(await refreshUsual()).toBe(1);
  const [vantage] = vantages as [VantageRef];
  // Ten hours are the longest part: 9 results, and 12.
  for (const [period, known] of [
    [70, false],
    [50, true],
  ] as const) {
    const results = [];
    for (let at = now - 14 * DAY; at < now; at += period * MINUTE)
      results.push(makeResult({ targetId: seldom, vantage, startedAt: at + period, tls: 40 }));
    await insertResults(results);
    await drainRollups({ settled: true });
    await computeUsual(seldom, now);
    const { rows } = await getPool().query<{ levels: object }>('select levels from target_usual where target_id = $1', [
      seldom,
    ]);
    expect(Object.keys(rows[0]?.levels ?? {})).toHaveLength(known ? 1 : 0);
  }
});

it('of a vantage that fell silent counts in what is shown of the time before alone', async () => {
  const left = await insertTarget({ name: 'left' });
  expect(await refreshUsual()).toBe(1);
  for (const [index, vantage] of vantages.entries()) {
    const results = [];
    for (let at = now - 14 * DAY; at < now - (index === 0 ? 2 * DAY : 0); at += 20 * MINUTE)
      results.push(makeResult({ targetId: left, vantage, startedAt: at, tls: index === 0 ? 40 : 60 }));
    await insertResults(results);
  }
  await drainRollups({ settled: true });
  await computeUsual(left, now);
  const usual = await readUsual(left);
  const levelOver = (from: number, to: number) =>
    usual.levelOf(
      vantages.map(({ id }) => id),
      'tls',
      { from: from / 1_000, to: to / 1_000 },
    );
  expect(levelOver(now - 60 * MINUTE, now)).toBeCloseTo(60, 0);
  expect(levelOver(now - 4 * DAY, now - 3 * DAY)).toBeCloseTo(50, 0);
  expect((await listTargetSummaries()).find(({ id }) => id === left)?.usual.tls).toBeCloseTo(60, 0);
});

it('is not computed of a target that is gone or switched off', async () => {
  await getPool().query("update target_usual set at = now() - interval '2 days'");
  await getPool().query('update target set enabled = false');
  expect(await refreshUsual()).toBe(0);
});
