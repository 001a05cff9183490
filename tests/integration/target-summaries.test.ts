import { beforeAll, expect, it, vi } from 'vitest';
import { getPool } from '#server/database/database.ts';
import { listTargetSummaries } from '#server/figures/target-summaries.ts';
import { drainRollups } from '#server/rollups/rollups.ts';
import { insertProber, insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

const TARGETS = 50;
const vantages = ['telecom', 'unicom', 'mobile'].map((carrier) => makeVantage('CN-GD', carrier));

let targets: string[];
prepareTestDatabase();
beforeAll(async () => {
  await insertProber(vantages);
  targets = [];
  for (let n = 0; n < TARGETS; n++) targets.push(await insertTarget());
  await insertResults(targets.flatMap((targetId) => measured(targetId)));
  await drainRollups({ settled: true });
});

/** Ten results of the last minutes at each vantage, and of the same minutes yesterday, when Mobile took half the time. */
function measured(targetId: string) {
  return vantages.flatMap((vantage, place) =>
    Array.from({ length: 20 }, (_, n) => {
      const isYesterday = n >= 10;
      const startedAt = Date.now() - 60_000 - (n % 10) * 2_000 - (isYesterday ? 86_400_000 : 0);
      return makeResult({
        targetId,
        vantage,
        startedAt,
        tls: (place + 1) * 20 * (isYesterday && place === 2 ? 0.5 : 1),
      });
    }),
  );
}

/** How many statements a list of the targets asks, and what it gives. */
async function counted() {
  const asked = vi.spyOn(getPool(), 'query');
  const summaries = await listTargetSummaries();
  const statements = asked.mock.calls.length;
  asked.mockRestore();
  return { summaries, statements };
}

it('the list of 50 targets asks at most ten statements, and then keeps its figures for all who ask', async () => {
  const first = await counted();
  expect(first.statements).toBeLessThanOrEqual(10);
  expect(first.summaries).toHaveLength(TARGETS);
  const again = await counted();
  expect(again.statements).toBe(1);
  expect(again.summaries).toEqual(first.summaries);
});

it('names the slowest location with its change, and of all the median', async () => {
  const [summary] = await listTargetSummaries();
  expect(summary).toMatchObject({
    n: 30,
    p50: expect.closeTo(40, 0),
    availability: 1,
    changeVsLastWeek: null,
    worst: { region: 'CN-GD', carrier: 'mobile', value: expect.closeTo(60, 0), n: 10, change: expect.closeTo(1, 1) },
  });
  expect(summary?.places).toHaveLength(3);
  // Today's results, of the day of UTC, and yesterday's; the days before have none.
  expect(summary?.days).toHaveLength(14);
  expect(summary?.days.reduce((sum, { n }) => sum + n, 0)).toBe(60);
  expect(summary?.days.slice(0, 11).every(({ value }) => value === null)).toBe(true);
});

it('compares no fewer than five results with those of yesterday', async () => {
  const shown = async (today: number, yesterday: number) => {
    const added = await insertTarget();
    const made = measured(added).filter(({ vantage }) => vantage.carrier === 'mobile');
    await insertResults([...made.slice(0, today), ...made.slice(10, 10 + yesterday)]);
    await drainRollups({ settled: true });
    const found = (await listTargetSummaries()).find(({ id }) => id === added);
    await getPool().query('update target set deleted_at = now() where id = $1', [added]);
    return [found?.changeVsYesterday ?? null, found?.worst?.change ?? null];
  };
  expect(await shown(10, 4)).toEqual([null, null]);
  expect(await shown(4, 10)).toEqual([null, null]);
  expect(await shown(5, 5)).toEqual([expect.closeTo(1, 1), expect.closeTo(1, 1)]);
});

it('targets that come, go or change their names are shown as they are now', async () => {
  await listTargetSummaries();
  const [gone, renamed] = targets;
  await getPool().query('update target set deleted_at = now() where id = $1', [gone]);
  await getPool().query("update target set name = 'renamed' where id = $1", [renamed]);
  const added = await insertTarget();
  await insertResults(measured(added));
  await drainRollups({ settled: true });
  const shown = new Map((await listTargetSummaries()).map((summary) => [summary.id, summary]));
  expect(shown.has(gone ?? '')).toBe(false);
  expect(shown.get(renamed ?? '')?.name).toBe('renamed');
  expect(shown.get(added)).toMatchObject({ n: 30, worst: { carrier: 'mobile' } });
});
