import { expect, it } from 'vitest';
import { getPool, getPrisma } from '#server/database/database.ts';
import { updateIncident } from '#server/incidents/by-hand.ts';
import { makeDetection, makeEnd, record } from '../support/detections.ts';
import { insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { makeVantage } from '../support/vantages.ts';

const MINUTE = 60_000;
const NOON = new Date('2026-11-20T12:00:00Z');
const later = (minutes: number) => new Date(NOON.getTime() + minutes * MINUTE);
const vantage = makeVantage('CN-BJ', 'telecom');

prepareTestDatabase([vantage]);

/** How many connections wait for a lock. */
async function waiting(): Promise<number> {
  const { rows } = await getPool().query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0]?.n ?? 0;
}

it('all lock incidents in one order: what the detector records and a merge by hand never wait each for the other', {
  timeout: 120_000,
}, async () => {
  const [shop, api] = [await insertTarget({ name: 'shop' }), await insertTarget({ name: 'api' })];
  const spike = makeDetection({ targetId: shop, vantage, at: later(5), changeAt: NOON, group: 'spike' });
  await record([spike], [], later(5));
  const change = { targetId: api, vantage, group: 'slower', kind: 'regression' } as const;
  await record([makeDetection({ ...change, at: later(30), changeAt: later(10) })], [], later(30));
  const [first = '', second = ''] = (await getPrisma().incident.findMany({ orderBy: { id: 'asc' } })).map(
    ({ id }) => id,
  );

  // Somebody is in the middle of changing the first of them.
  const other = await getPool().connect();
  await other.query('begin');
  await other.query('select id from incident where id = $1 for update', [first]);
  // The regression is over by an improvement, which is looked at first, and then the spike.
  const better = { ...change, group: 'faster', kind: 'improvement', beforeMs: 150, afterMs: 50 } as const;
  const recording = record(
    [makeDetection({ ...better, at: later(120), changeAt: later(60) })],
    [makeEnd(spike, vantage, later(120))],
    later(120),
  );
  await expect.poll(waiting, { timeout: 60_000 }).toBe(1);
  const merging = updateIncident(first, { action: 'merge', into: second, note: '' }, 'someone', later(121));
  const merged = expect(merging).rejects.toThrow(`The incident ${second} is resolved`);
  await expect.poll(waiting, { timeout: 60_000 }).toBe(2);
  // Whoever waits for the first one does not hold the second.
  await other.query('select id from incident where id = $1 for update nowait', [second]);
  await other.query('rollback');
  other.release();
  await recording;
  await merged;
  const rows = await getPrisma().incident.findMany({ orderBy: { id: 'asc' }, select: { id: true, resolution: true } });
  expect(rows).toEqual([
    { id: first, resolution: 'recovered' },
    { id: second, resolution: 'rolled_back' },
  ]);
});
