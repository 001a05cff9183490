import { beforeAll, beforeEach, expect, it } from 'vitest';
import { getPool, getPrisma } from '#server/database/database.ts';
import { beginBatch, writeBatch } from '#server/incidents/batch.ts';
import { endIncident } from '#server/incidents/open.ts';
import { lockIncidents } from '#server/incidents/stored-incident.ts';
import { sweepIncidents } from '#server/incidents/sweep.ts';
import { withAchieved } from '#server/rules/achieved.ts';
import { rulesOf } from '#server/rules/rules.ts';
import { makeDetection, record } from '../support/detections.ts';
import { assignAll, insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { mainlandVantages } from '../support/vantages.ts';

// A rule's budget of false pages, on 93 series of one target: one false page a week asks for two series.

const NOON = new Date('2026-11-20T12:00:00Z');
const later = (minutes: number) => new Date(NOON.getTime() + minutes * 60_000);
const vantages = mainlandVantages();

let targetId: string;
prepareTestDatabase(vantages);
beforeAll(async () => {
  targetId = await insertTarget();
  await assignAll();
});
beforeEach(async () => {
  await getPool().query('truncate incident, incident_event, detection, delivery cascade');
  await setBudget(1);
});

const setBudget = (budget: number | null) =>
  getPool().query(
    `update alert_rule set created_at = $2, params = params || jsonb_build_object('falsePagesPerWeek', $1::float8)
      where kind = 'detector'`,
    [budget, later(-28 * 1_440)],
  );
const found = (place: number, minutes: number, kind: 'spike' | 'regression' = 'spike') => {
  const vantage = vantages[place];
  if (!vantage) throw new Error(`no vantage ${place}`);
  return makeDetection({ targetId, vantage, at: later(minutes), changeAt: NOON, group: 'a', kind });
};
const told = () => getPrisma().incident.count({ where: { notifiedAt: { not: null } } });

it('lets one series wait for half an hour, and tells of two', async () => {
  await record([found(0, 2)], [], later(2));
  await sweepIncidents(later(29));
  expect(await told()).toBe(0);
  await record([found(1, 10)], [], later(10));
  await sweepIncidents(later(11));
  expect(await told()).toBe(1);
});

it('tells of one series that lasts, and not of one that is only waiting for its end', async () => {
  await record([found(0, 2)], [], later(2));
  const { id, cells } = await getPrisma().incident.findFirstOrThrow();
  const quiet = (cells as object[]).map((cell) => ({ ...cell, quietSince: later(5).toISOString() }));
  await getPrisma().incident.update({ where: { id }, data: { cells: quiet } });
  await sweepIncidents(later(31));
  expect(await told()).toBe(0);
  await getPrisma().incident.update({ where: { id }, data: { cells: cells as object[] } });
  await sweepIncidents(later(32));
  expect(await told()).toBe(1);
});

it('lists a lasting change of one series, and tells of it when a second one joins', async () => {
  await record([found(0, 2, 'regression')], [], later(2));
  await sweepIncidents(later(1_440));
  expect(await told()).toBe(0);
  expect(await getPrisma().incident.count({ where: { status: 'open' } })).toBe(1);
  await record([found(1, 1_450, 'regression')], [], later(1_450));
  await sweepIncidents(later(1_451));
  expect(await told()).toBe(1);
});

it('leaves a row alone for as long as nothing can be due with it', async () => {
  await record([found(0, 2, 'regression')], [], later(2));
  const version = async () => (await getPool().query('select xmin::text as version from incident')).rows;
  await sweepIncidents(later(3));
  const before = await version();
  await sweepIncidents(later(4));
  await sweepIncidents(later(5));
  expect(await version()).toEqual(before);
});

it('without a budget tells of one series at once', async () => {
  await setBudget(null);
  await record([found(0, 2)], [], later(2));
  await sweepIncidents(later(3));
  expect(await told()).toBe(1);
});

it('says how many pages were false: one series that was over soon, and what a person called so', async () => {
  await setBudget(null);
  await record([found(0, 2)], [], later(2));
  await sweepIncidents(later(3));
  await getPrisma().$transaction(async (db) => {
    const batch = await beginBatch(db, later(35));
    for (const each of await lockIncidents(db, {})) endIncident(batch, each, { reason: 'quiet', at: later(35) });
    await writeBatch(batch);
  });
  const achieved = { days: 28, pages: 1, falsePages: 1, falsePerWeek: 0.25 };
  expect(await withAchieved(await rulesOf(getPrisma(), 'detector'), later(60))).toMatchObject([{ achieved }]);
});
