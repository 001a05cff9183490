import { afterAll, beforeAll, expect, it } from 'vitest';
import { pastSeries } from '#cli/demo/past-series.ts';
import { pastBefore } from '#demo/past/window.ts';
import { DEMO_VANTAGES } from '#demo/places.ts';
import { PROFILES } from '#demo/profiles.ts';
import { getPool } from '#server/database/database.ts';
import { readSetting } from '#server/database/settings.ts';
import { ensureDemo } from '#server/demo/demo.ts';
import { demoInstallation } from '#server/demo/past/installation.ts';
import { tierRows } from '#server/demo/past/past-rollups.ts';
import { type GeneratedPast, storePast } from '#server/demo/past/store.ts';
import { vantageNumbers } from '#server/rollups/vantage-numbers.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';

let database: TestDatabase;
let past: GeneratedPast;

beforeAll(async () => {
  database = await testDatabase();
  await ensureDemo({
    origins: PROFILES.map(({ key, name, host }) => ({ key, name, url: `https://${host}:4000/`, caPem: '' })),
    vantages: DEMO_VANTAGES.filter(({ region }) => region === 'CN-GD').map((vantage) => ({ ...vantage })),
  });
  const installation = await demoInstallation();
  if (installation === null) throw new Error('no demo');
  const window = pastBefore(installation.madeAt.getTime());
  const seriesOf = pastSeries(installation, window);
  const numbers = await vantageNumbers(installation.vantages.map(({ id }) => id));
  past = {
    ...window,
    targetIds: installation.targets.map(({ id }) => id),
    rowsOf: ({ targetId, tier, range }) => tierRows(tier, targetId, seriesOf(targetId), numbers, range),
    markers: [],
  };
});
afterAll(() => database.drop());

const TABLES = ['rollup_minute', 'rollup_ten', 'rollup_hour', 'rollup_day'];
const counts = () =>
  Promise.all(
    TABLES.map(async (table) => (await getPool().query(`select count(*)::int as n from ${table}`)).rows[0].n as number),
  );

it('has its last day to show while all else is generated, and goes on there after an end in the middle', async () => {
  const endsAtHours: GeneratedPast['rowsOf'] = (piece) => {
    if (piece.tier.step === 3_600) throw new Error('ended');
    return past.rowsOf(piece);
  };
  await expect(storePast({ ...past, rowsOf: endsAtHours })).rejects.toThrow('ended');
  const [minutes = 0, ...rest] = await counts();
  expect(minutes).toBeGreaterThan(100);
  expect(rest).toEqual([0, 0, 0]);
  expect(await readSetting('demo_past')).toEqual({ from: past.from, to: past.to });

  expect(await storePast(past)).toBe(true);
  const all = await counts();
  expect(all[0]).toBe(minutes);
  expect(all.every((count) => count > 0)).toBe(true);
  expect(await readSetting('demo_past')).toEqual({ from: past.from, to: past.to, stored: true });

  expect(await storePast(past)).toBe(false);
  expect(await counts()).toEqual(all);
});
