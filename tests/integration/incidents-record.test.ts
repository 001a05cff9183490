import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { getPool, getPrisma } from '#server/database/database.ts';
import { endForgotten, notifyStanding, settleIncidents } from '#server/incidents/settle.ts';
import { createAlertRule, deleteAlertRule } from '#server/rules/rules.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { incidentsMade, insertWebhook, messageTypes } from '../support/detecting.ts';
import { makeDetection, makeEnd, record } from '../support/detections.ts';
import { writeHistory } from '../support/history.ts';
import { insertTarget } from '../support/places.ts';
import { makeVantage } from '../support/vantages.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOON = new Date('2026-11-20T12:00:00Z');
const at = (ms: number) => new Date(NOON.getTime() + ms);
const beijing = makeVantage('CN-BJ', 'telecom');
const guangdong = makeVantage('CN-GD', 'telecom');

let database: TestDatabase;
let targetId: string;
beforeAll(async () => {
  database = await testDatabase([beijing, guangdong]);
  await insertWebhook();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await getPool().query('truncate incident, incident_event, detection, delivery, result cascade');
  targetId = await insertTarget();
});

describe('a spike', () => {
  it('is over where the detector says so, and altogether at the last of its cells', async () => {
    const spikes = [beijing, guangdong].map((vantage) => makeDetection({ targetId, vantage, at: NOON }));
    const [first, second] = spikes;
    if (!first || !second) throw new Error('there are two');
    await record(spikes, [], NOON);
    await record([], [makeEnd(first, beijing, at(40 * MINUTE))], at(40 * MINUTE));
    expect(await incidentsMade()).toMatchObject([
      { status: 'open', cells: [{ recoveredAt: '2026-11-20T12:10:00.000Z' }, { recoveredAt: null }] },
    ]);
    await record([], [makeEnd(second, guangdong, at(60 * MINUTE))], at(60 * MINUTE));
    expect(await incidentsMade()).toMatchObject([{ status: 'resolved', resolvedAt: at(60 * MINUTE) }]);
    expect(await messageTypes()).toEqual(['tls.spike.opened', 'tls.spike.resolved']);
  });

  it('that became a regression at one cell ends at the others as a spike, and with the regression altogether', async () => {
    const spikes = [beijing, guangdong].map((vantage) => makeDetection({ targetId, vantage, at: NOON }));
    await record(spikes, [], NOON);
    const onset = { targetId, vantage: beijing, changeAt: NOON };
    await record([makeDetection({ ...onset, at: at(5 * HOUR), kind: 'regression' })], [], at(5 * HOUR));
    const [, second] = spikes;
    if (!second) throw new Error('there are two');
    await record([], [makeEnd(second, guangdong, at(6 * HOUR))], at(6 * HOUR));
    expect(await incidentsMade()).toMatchObject([{ kind: 'regression', status: 'open' }]);
    const back = { targetId, vantage: beijing, changeAt: at(20 * HOUR), at: at(25 * HOUR), group: 'later' };
    await record([makeDetection({ ...back, kind: 'improvement', beforeMs: 150, afterMs: 52 })], [], at(25 * HOUR));
    expect(await incidentsMade()).toMatchObject([{ kind: 'regression', status: 'resolved' }]);
    expect(await messageTypes()).toEqual(['tls.spike.opened', 'tls.regression.opened', 'tls.regression.resolved']);
  });

  it('of which the detector knows nothing any more is over', async () => {
    const spike = makeDetection({ targetId, vantage: beijing, at: NOON });
    await record([spike], [], NOON);
    const known = makeEnd(spike, beijing, NOON);
    const forget = (open: Parameters<typeof endForgotten>[1]) =>
      getPrisma().$transaction((db) => endForgotten(db, open, at(HOUR).getTime() / 1_000, at(HOUR)));
    await forget([{ ...known, quietSince: null }]);
    expect(await incidentsMade()).toMatchObject([{ status: 'open' }]);
    await forget([]);
    expect(await incidentsMade()).toMatchObject([{ status: 'resolved' }]);
  });
});

describe('a regression', () => {
  const rise = () =>
    makeDetection({ targetId, vantage: beijing, at: NOON, changeAt: at(-5 * HOUR), kind: 'regression' });
  const settle = (days: number) => {
    const position = NOON.getTime() / 1_000 + days * 86_400 + 60;
    return settleIncidents({ before: position - 60 * 60, position }, new Date(position * 1_000));
  };

  it('is not taken back by a small improvement, which is told by itself', async () => {
    await record([rise()], [], NOON);
    const better = { targetId, vantage: beijing, at: at(20 * HOUR), kind: 'improvement', group: 'later' } as const;
    await record([makeDetection({ ...better, beforeMs: 150, afterMs: 130 })], [], at(20 * HOUR));
    expect((await incidentsMade()).map(({ kind, status }) => `${kind} ${status}`)).toEqual([
      'regression open',
      'improvement resolved',
    ]);
    expect(await messageTypes()).toEqual(['tls.regression.opened', 'tls.improvement.detected']);
  });

  it.each([
    ['is over where the level is back at the same hours of the next day', 55, 'resolved'],
    ['goes on where it is not', 120, 'open'],
  ])('%s', async (_what, tls, status) => {
    await record([rise()], [], NOON);
    const from = NOON.getTime() / 1_000 + 19 * 3_600;
    await writeHistory([{ targetId, vantage: beijing }], { from, to: from + 5 * 3_600 }, () => ({ rtt: 40, tls }));
    await settle(1);
    expect(await incidentsMade()).toMatchObject([{ kind: 'regression', status }]);
  });

  it('that nobody mended is accepted as the new level after a week, and never called recovered', async () => {
    const elsewhere = { targetId, vantage: guangdong, at: NOON, changeAt: at(-5 * HOUR), kind: 'regression' } as const;
    await record([rise(), makeDetection({ ...elsewhere, afterMs: 90 })], [], NOON);
    const back = { targetId, vantage: guangdong, at: at(30 * HOUR), changeAt: at(25 * HOUR), group: 'later' };
    await record([makeDetection({ ...back, kind: 'improvement', beforeMs: 90, afterMs: 51 })], [], at(30 * HOUR));
    await settle(6);
    expect(await incidentsMade()).toMatchObject([{ status: 'open', resolution: null, effectMs: 70 }]);
    await settle(7);
    const [incident] = await incidentsMade();
    expect(incident).toMatchObject({ status: 'resolved', resolution: 'accepted', effectMs: 100, effectRatio: 2 });
    expect(incident?.timeline.filter((kind) => kind === 'accepted' || kind === 'resolved')).toEqual(['accepted']);
    expect(await messageTypes()).toEqual(['tls.regression.opened', 'tls.regression.accepted']);
    const { payload } = await getPrisma().delivery.findFirstOrThrow({
      where: { eventType: 'tls.regression.accepted' },
    });
    expect(payload).toMatchObject({
      data: {
        resolution: 'accepted',
        effectMs: 100,
        summary: expect.stringMatching(/accepted as the new level: .*, TLS \+100 ms \(\+200%\), since 2026-11-20/),
      },
    });
  });

  it('is accepted of the day on which the week was over, however late the server came to look', async () => {
    await record([rise()], [], NOON);
    await settle(9);
    const accepted = at(-5 * HOUR + 7 * 24 * HOUR);
    expect(await incidentsMade()).toMatchObject([{ resolution: 'accepted', resolvedAt: accepted }]);
  });

  it('of a target that is switched off is gone', async () => {
    await record([rise()], [], NOON);
    await getPool().query('update target set enabled = false where id = $1', [targetId]);
    await settle(0);
    const [incident] = await incidentsMade();
    expect(incident?.status).toBe('resolved');
    const resolved = await getPrisma().incidentEvent.findFirst({ where: { kind: 'resolved' } });
    expect(resolved?.params).toEqual({ reason: 'gone' });
  });
});

describe('a rule of the detector', () => {
  it('that asks for two cells opens at the second, with both, under its own incident', async () => {
    const rule = await createAlertRule({
      kind: 'detector',
      name: 'two cells of TLS time',
      enabled: true,
      metric: 'tls',
      params: { kinds: ['spike'] },
      targetIds: [],
      regions: [],
      carriers: [],
      minCells: 2,
      severity: 'critical',
      reminderMinutes: null,
    });
    const own = async () => (await incidentsMade()).filter(({ ruleId }) => ruleId === rule.id);
    await record([makeDetection({ targetId, vantage: beijing, at: NOON })], [], NOON);
    // Another metric at another place is not what it asked for.
    await record([makeDetection({ targetId, vantage: guangdong, at: at(MINUTE), metric: 'tcp' })], [], at(MINUTE));
    expect(await own()).toEqual([]);
    await record([makeDetection({ targetId, vantage: guangdong, at: at(2 * MINUTE) })], [], at(2 * MINUTE));
    expect(await own()).toMatchObject([{ severity: 'critical', onsetAt: NOON, region: null }]);
    expect((await own())[0]?.cells).toHaveLength(2);
    expect(await incidentsMade()).toHaveLength(2);
    const linked = await getPrisma().incidentDetection.groupBy({ by: ['incidentId'], _count: true });
    expect(linked.map(({ _count }) => _count).sort()).toEqual([2, 3]);
    await deleteAlertRule(rule.id);
  });
});

describe('what was found while catching up', () => {
  it('is told at its end where it lasts: a spike however old, a regression that was found within the day', async () => {
    const now = at(30 * HOUR);
    const others = [await insertTarget({ name: 'b' }), await insertTarget({ name: 'c' })];
    const [b = '', c = ''] = others;
    await record([makeDetection({ targetId, vantage: beijing, at: at(25 * HOUR) })], [], now);
    await record([makeDetection({ targetId: b, vantage: beijing, at: at(7 * HOUR), kind: 'regression' })], [], now);
    await record([makeDetection({ targetId: c, vantage: beijing, at: at(5 * HOUR), kind: 'regression' })], [], now);
    expect(await messageTypes()).toEqual([]);
    await notifyStanding(now);
    await notifyStanding(now);
    expect((await messageTypes()).sort()).toEqual(['tls.regression.opened', 'tls.spike.opened']);
    expect((await incidentsMade()).map(({ quiet }) => quiet)).toEqual([true, false, false]);
  });
});
