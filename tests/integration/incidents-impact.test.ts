import { describe, expect, it } from 'vitest';
import { DEFAULT_AUDIENCE } from '#contract/audience.ts';
import { IncidentsQuery } from '#contract/incident.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { followSpikes } from '#server/incidents/follow.ts';
import { listIncidents } from '#server/incidents/incidents.ts';
import { sweepIncidents } from '#server/incidents/sweep.ts';
import { openIncidentsOf } from '#server/incidents/target-incidents.ts';
import { changeAudience, readAudience, resetAudience } from '#server/vantages/audience.ts';
import { messageTypes } from '../support/detecting.ts';
import { makeDetection, record } from '../support/detections.ts';
import { incidentScene } from '../support/incident-scene.ts';
import { assignAll, insertTarget } from '../support/places.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

const NOON = new Date('2026-11-20T12:00:00Z');
const later = (minutes: number) => new Date(NOON.getTime() + minutes * 60_000);
const regions = ['CN-GD', 'CN-SD', 'CN-HA', 'CN-JS', 'CN-SC', 'CN-HE', 'CN-HN', 'CN-ZJ', 'CN-XZ'];
const vantages = regions.flatMap((region) =>
  ['telecom', 'unicom', 'mobile'].map((carrier) => makeVantage(region, carrier)),
);
const at = (region: string, carrier: string) => {
  const found = vantages.find((each) => each.region === region && each.carrier === carrier);
  if (!found) throw new Error(`no vantage ${region} ${carrier}`);
  return found;
};

let targetId: string;
incidentScene({
  vantages,
  also: ['result'],
  begin: async (id) => {
    targetId = id;
    await getPool().query('update target set deleted_at = now() where id <> $1', [id]);
    await resetAudience();
    await assignAll();
  },
});

const spike = (region: string, carrier: string, minutes = 2, page = false) =>
  makeDetection({ targetId, vantage: at(region, carrier), at: later(minutes), changeAt: NOON, page });
const all = async (query: Record<string, string> = {}) =>
  (await listIncidents(IncidentsQuery.parse({ limit: '100', ...query }))).data;

describe('one series alone', () => {
  it('that stands for a twentieth of the users is told of at once, and any other waits', async () => {
    await record([spike('CN-XZ', 'unicom')], [], later(3));
    expect(await all()).toMatchObject([{ severity: 'info', heldUntil: later(30).toISOString() }]);
    await sweepIncidents(later(4));
    expect(await messageTypes()).toEqual([]);
    await getPool().query('truncate incident, incident_event, detection, delivery cascade');
    await record([spike('CN-GD', 'mobile')], [], later(3));
    const [incident] = await all();
    expect(incident).toMatchObject({ severity: 'warning', heldUntil: null, impact: { excessMs: 100 } });
    expect(incident?.impact?.share).toBeGreaterThan(0.05);
    await sweepIncidents(later(4));
    expect(await messageTypes()).toEqual(['tls.spike.opened']);
  });

  it('waits where its users are said to be few', async () => {
    await changeAudience({ regions: { 'CN-GD': 0.01 }, carriers: {} });
    await record([spike('CN-GD', 'mobile')], [], later(3));
    expect(await all()).toMatchObject([{ heldUntil: later(30).toISOString() }]);
  });
});

describe('the impact of an incident', () => {
  it('grows with its cells, and its severity with it; pages of its target have it', async () => {
    await record([spike('CN-GD', 'mobile')], [], later(3));
    expect(await all()).toMatchObject([{ severity: 'warning' }]);
    await record(
      regions.map((region) => spike(region, 'mobile', 4, true)),
      [],
      later(5),
    );
    const [incident] = await all();
    expect(incident).toMatchObject({ severity: 'critical', affected: { series: 9 } });
    const { share = 0, weightedMs } = incident?.impact ?? {};
    expect(share).toBeGreaterThan(0.5);
    expect(weightedMs).toBeCloseTo(share * 100, 6);
    expect((await openIncidentsOf(targetId)).incidents).toMatchObject([{ impact: incident?.impact }]);
  });

  it('tells once more, once, where it becomes grave while nothing joins', async () => {
    const found = regions.map((region) => spike(region, 'mobile', 4, true));
    const small = found.map((each) => ({ ...each, cell: { ...each.cell, afterMs: 65 } }));
    await record(small, [], later(5));
    await sweepIncidents(later(6));
    expect(await all()).toMatchObject([{ severity: 'warning' }]);
    // From the second minute on it is 350 ms more.
    const measured = found.map(({ cell: { vantageId } }) => vantages.find(({ id }) => id === vantageId) ?? at('', ''));
    await insertResults(
      measured.map((vantage) => makeResult({ targetId, vantage, startedAt: later(6).getTime(), tls: 400 })),
    );
    const follow = async (minutes: number) => {
      await followSpikes([], later(minutes).getTime() / 1_000, later(minutes));
      for (const seconds of [5, 30, 70]) await sweepIncidents(new Date(later(minutes).getTime() + seconds * 1_000));
    };
    await follow(7);
    expect(await all()).toMatchObject([{ severity: 'critical' }]);
    expect(await messageTypes()).toEqual(['tls.spike.opened', 'tls.spike.updated']);
    const { payload } = await getPrisma().delivery.findFirstOrThrow({ where: { eventType: 'tls.spike.updated' } });
    expect(payload).toMatchObject({ data: { severity: 'critical' } });
    await insertResults(
      measured.map((vantage) => makeResult({ targetId, vantage, startedAt: later(9).getTime(), tls: 900 })),
    );
    await follow(10);
    expect(await messageTypes()).toHaveLength(2);
  });

  it('orders the list where that is asked for, a page at a time', async () => {
    const others = [await insertTarget({ name: 'b' }), await insertTarget({ name: 'c' })];
    await assignAll();
    const made = [
      { id: targetId, region: 'CN-HN' },
      { id: others[0] ?? '', region: 'CN-GD' },
      { id: others[1] ?? '', region: 'CN-XZ' },
    ];
    for (const [index, { id, region }] of made.entries())
      await record(
        [makeDetection({ targetId: id, vantage: at(region, 'mobile'), at: later(2 + index), changeAt: NOON })],
        [],
        later(3 + index),
      );
    const names = (found: Awaited<ReturnType<typeof all>>) => found.map(({ cells }) => cells[0]?.region);
    expect(names(await all())).toEqual(['CN-XZ', 'CN-GD', 'CN-HN']);
    expect(names(await all({ order: 'impact' }))).toEqual(['CN-GD', 'CN-HN', 'CN-XZ']);
    const first = await listIncidents(IncidentsQuery.parse({ limit: '2', order: 'impact' }));
    const second = await listIncidents(
      IncidentsQuery.parse({ limit: '2', order: 'impact', cursor: first.nextCursor ?? '' }),
    );
    expect([...names(first.data), ...names(second.data), second.nextCursor]).toEqual(['CN-GD', 'CN-HN', 'CN-XZ', null]);
  });
});

describe('the audience', () => {
  it('is that of China until it is changed, and again once it is reset', async () => {
    expect(await readAudience()).toEqual(DEFAULT_AUDIENCE);
    await changeAudience({ regions: { 'CN-GD': 5 }, carriers: {} });
    expect(await readAudience()).toEqual({ regions: { 'CN-GD': 5 }, carriers: {} });
    expect(await resetAudience()).toEqual(DEFAULT_AUDIENCE);
    expect(await readAudience()).toEqual(DEFAULT_AUDIENCE);
  });
});
