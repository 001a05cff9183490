import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { IncidentsQuery } from '#contract/incident.ts';
import { WebhookPayload } from '#contract/webhook-event.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { updateIncident } from '#server/incidents/by-hand.ts';
import { countIncidents, getIncident, listIncidents } from '#server/incidents/incidents.ts';
import { endForgotten, notifyLasting, settleIncidents } from '#server/incidents/settle.ts';
import { sweepIncidents } from '#server/incidents/sweep.ts';
import { createAlertRule, deleteAlertRule } from '#server/rules/rules.ts';
import { incidentsMade, insertWebhook, messageTypes } from '../support/detecting.ts';
import { type Made, makeDetection, makeEnd, record } from '../support/detections.ts';
import { rollUpHistory, writeHistory } from '../support/history.ts';
import { insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { makeVantage } from '../support/vantages.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOON = new Date('2026-11-20T12:00:00Z');
const at = (ms: number) => new Date(NOON.getTime() + ms);
const beijing = makeVantage('CN-BJ', 'telecom');
const guangdong = makeVantage('CN-GD', 'telecom');

let targetId: string;
prepareTestDatabase([beijing, guangdong]);
beforeAll(async () => {
  await insertWebhook();
});
beforeEach(async () => {
  await getPool().query('truncate incident, incident_event, detection, delivery, result cascade');
  targetId = await insertTarget();
});

/** What the last message tells of its incident. */
async function lastTold(): Promise<unknown> {
  const { payload } = await getPrisma().delivery.findFirstOrThrow({ orderBy: { sequence: 'desc' } });
  return WebhookPayload.parse(payload).data;
}

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
    // That it had been quiet was known half an hour later.
    expect(await lastTold()).toMatchObject({ overAt: at(30 * MINUTE).toISOString(), status: 'resolved' });
  });

  it('that became a regression at one cell ends at the others as a spike, and with the regression altogether', async () => {
    const spikes = [beijing, guangdong].map((vantage) => makeDetection({ targetId, vantage, at: NOON }));
    await record(spikes, [], NOON);
    const onset = { targetId, vantage: beijing, changeAt: NOON };
    await record([makeDetection({ ...onset, at: at(5 * HOUR), kind: 'regression' })], [], at(5 * HOUR));
    // It is told with which series it opened: of those that came to stay the cells are others by now.
    const opened = await getPrisma().incidentEvent.findFirst({ where: { kind: 'opened' } });
    const series = [beijing, guangdong].map(({ id }) => ({ targetId, vantageId: id }));
    expect(opened?.params).toEqual({ cells: 2, series: expect.arrayContaining(series) });
    const [, second] = spikes;
    if (!second) throw new Error('there are two');
    await record([], [makeEnd(second, guangdong, at(6 * HOUR))], at(6 * HOUR));
    expect(await incidentsMade()).toMatchObject([{ kind: 'regression', status: 'open' }]);
    const back = { targetId, vantage: beijing, changeAt: at(20 * HOUR), at: at(25 * HOUR), group: 'later' };
    await record([makeDetection({ ...back, kind: 'improvement', beforeMs: 150, afterMs: 52 })], [], at(25 * HOUR));
    expect(await incidentsMade()).toMatchObject([{ kind: 'regression', status: 'resolved' }]);
    expect(await messageTypes()).toEqual(['tls.spike.opened', 'tls.regression.opened', 'tls.regression.resolved']);
  });

  it('that lasted for as long as one can is a regression, which ends when its level comes back', async () => {
    const spikes = [beijing, guangdong].map((vantage) => makeDetection({ targetId, vantage, at: NOON }));
    await record(spikes, [], NOON);
    const [first, second] = spikes;
    if (!first || !second) throw new Error('there are two');
    const longest = {
      at: at(8 * HOUR).getTime() / 1_000,
      endedAt: at(8 * HOUR).getTime() / 1_000,
      by: 'length',
    } as const;
    const quiet = makeEnd(second, guangdong, at(8 * HOUR));
    await record([], [{ ...makeEnd(first, beijing, NOON), ...longest }, quiet], at(8 * HOUR));
    const [incident] = await incidentsMade();
    expect(incident).toMatchObject({ kind: 'regression', status: 'open', effectMs: 100 });
    expect(incident?.cells).toMatchObject([
      { kind: 'regression', recoveredAt: null, at: at(8 * HOUR).toISOString() },
      { kind: 'spike', recoveredAt: at(7.5 * HOUR).toISOString() },
    ]);
    expect(await messageTypes()).toEqual(['tls.spike.opened', 'tls.regression.opened']);
    // At the same eight hours of the next day it is as before.
    const from = at(24 * HOUR).getTime() / 1_000;
    const series = [{ targetId, vantage: beijing }];
    await writeHistory(series, { from, to: from + 8 * 3_600 }, () => ({ rtt: 40, tls: 55 }));
    const position = from + 8 * 3_600 + 60;
    await settleIncidents({ before: position - 3_600, position }, new Date(position * 1_000));
    expect(await incidentsMade()).toMatchObject([{ status: 'resolved', resolution: 'rolled_back' }]);
  });

  it.each([
    ['connect', 'tcp', 40, 110],
    ['the first byte', 'firstByte', 50, 110],
    ['refused sessions', 'refused', 0.05, 1],
  ] as const)(
    'of %s that came to stay stands after 48 hours, and ends when its level comes back',
    async (_what, metric, beforeMs, afterMs) => {
      const spike = makeDetection({ targetId, vantage: beijing, at: NOON, metric, beforeMs, afterMs });
      const variant = metric === 'refused' ? ({ variant: 'resumed' } as const) : {};
      Object.assign(spike.cell, variant);
      await record([spike], [], NOON);
      const seconds = at(8 * HOUR).getTime() / 1_000;
      const end = {
        ...makeEnd(spike, beijing, NOON),
        ...variant,
        metric,
        at: seconds,
        endedAt: seconds,
        by: 'length' as const,
      };
      await record([], [end], at(8 * HOUR));
      const cells = [{ kind: 'regression', metric, recoveredAt: null }];
      expect(await incidentsMade()).toMatchObject([{ kind: 'regression', metric, status: 'open', cells }]);
      const settle = async (days: number) => {
        const position = seconds + days * 86_400 + 60;
        await settleIncidents({ before: position - 3_600, position }, new Date(position * 1_000));
        await sweepIncidents(new Date((position + 60) * 1_000));
      };
      await settle(2);
      expect(await incidentsMade()).toMatchObject([{ status: 'open', standingSince: at(48 * HOUR) }]);
      expect(await messageTypes()).toEqual(['tls.spike.opened', 'tls.regression.opened', 'tls.regression.updated']);
      // An improvement of TLS time is none of it.
      const better = { targetId, vantage: beijing, at: at(60 * HOUR), kind: 'improvement', group: 'later' } as const;
      await record([makeDetection({ ...better, beforeMs: 50, afterMs: 20 })], [], at(60 * HOUR));
      const refused = metric === 'refused' ? { refused: false } : {};
      const from = NOON.getTime() / 1_000 + 3 * 86_400;
      await writeHistory([{ targetId, vantage: beijing }], { from, to: from + 8 * 3_600 }, () => ({
        rtt: 40,
        tls: 55,
        ...refused,
      }));
      const [standing] = await incidentsMade();
      expect(standing?.status).toBe('open');
      await settle(3);
      expect((await incidentsMade())[0]).toMatchObject({ status: 'resolved', resolution: 'rolled_back' });
    },
  );

  it('of the first byte that came to stay beside TLS time ends with that', async () => {
    const spikes = (['tls', 'firstByte'] as const).map((metric) =>
      makeDetection({ targetId, vantage: beijing, at: NOON, metric }),
    );
    await record(spikes, [], NOON);
    const seconds = at(8 * HOUR).getTime() / 1_000;
    const long = { at: seconds, endedAt: seconds, by: 'length' as const };
    const ends = spikes.map((spike) => ({ ...makeEnd(spike, beijing, NOON), metric: spike.metric, ...long }));
    await record([], ends, at(8 * HOUR));
    const cells = [{ kind: 'regression' }, { kind: 'regression' }];
    expect(await incidentsMade()).toMatchObject([{ kind: 'regression', metric: 'tls', status: 'open', cells }]);
    const back = { targetId, vantage: beijing, at: at(20 * HOUR), changeAt: at(15 * HOUR), group: 'later' };
    await record([makeDetection({ ...back, kind: 'improvement', beforeMs: 150, afterMs: 52 })], [], at(20 * HOUR));
    expect(await incidentsMade()).toMatchObject([{ status: 'resolved', resolution: 'rolled_back' }]);
  });

  it('of the first byte that has an incident of its own ends with the TLS time of its series', async () => {
    const spike = makeDetection({ targetId, vantage: beijing, at: NOON, metric: 'firstByte' });
    await record([spike], [], NOON);
    const seconds = at(8 * HOUR).getTime() / 1_000;
    const end = {
      ...makeEnd(spike, beijing, NOON),
      metric: spike.metric,
      at: seconds,
      endedAt: seconds,
      by: 'length' as const,
    };
    await record([], [end], at(8 * HOUR));
    const slower = { targetId, vantage: beijing, kind: 'regression', group: 'other' } as const;
    await record([makeDetection({ ...slower, at: at(9 * HOUR), changeAt: NOON })], [], at(9 * HOUR));
    expect((await incidentsMade()).map(({ kind, status }) => [kind, status])).toEqual([
      ['regression', 'open'],
      ['regression', 'open'],
    ]);
    const back = { targetId, vantage: beijing, at: at(36 * HOUR), changeAt: at(30 * HOUR), group: 'later' };
    await record([makeDetection({ ...back, kind: 'improvement', beforeMs: 150, afterMs: 52 })], [], at(36 * HOUR));
    expect((await incidentsMade()).map(({ resolution }) => resolution)).toEqual(['rolled_back', 'rolled_back']);
  });

  it('of failures stands after 48 hours, and ends where the detector says so', async () => {
    const spike = makeDetection({ targetId, vantage: beijing, at: NOON, metric: 'failures', beforeMs: 0, afterMs: 1 });
    await record([spike], [], NOON);
    const position = at(49 * HOUR).getTime() / 1_000;
    await settleIncidents({ before: position - 60, position }, at(49 * HOUR));
    await sweepIncidents(at(49 * HOUR + MINUTE));
    const [incident] = await incidentsMade();
    expect(incident).toMatchObject({ kind: 'spike', standingSince: at(48 * HOUR) });
    expect(await getIncident(incident?.id ?? '')).toMatchObject({ state: 'standing', next: null });
    await record([], [{ ...makeEnd(spike, beijing, at(60 * HOUR)), metric: 'failures' }], at(60 * HOUR));
    expect(await incidentsMade()).toMatchObject([{ status: 'resolved', resolution: 'recovered' }]);
    expect(await messageTypes()).toEqual(['tls.spike.opened', 'tls.spike.updated', 'tls.spike.resolved']);
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
  const rise = (given: Partial<Made> = {}) =>
    makeDetection({ targetId, vantage: beijing, at: NOON, changeAt: at(-5 * HOUR), kind: 'regression', ...given });
  const settle = async (days: number) => {
    const position = NOON.getTime() / 1_000 + days * 86_400 + 60;
    await settleIncidents({ before: position - 60 * 60, position }, new Date(position * 1_000));
    // What is corrected waits until it has stopped changing.
    await sweepIncidents(new Date((position + 60) * 1_000));
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

  it('that is small is accepted as the new level after 48 hours, which is said', async () => {
    const elsewhere = { targetId, vantage: guangdong, at: NOON, changeAt: at(-5 * HOUR), kind: 'regression' } as const;
    await record([rise({ afterMs: 58 }), makeDetection({ ...elsewhere, afterMs: 90 })], [], NOON);
    const back = { targetId, vantage: guangdong, at: at(30 * HOUR), changeAt: at(25 * HOUR), group: 'later' };
    await record([makeDetection({ ...back, kind: 'improvement', beforeMs: 90, afterMs: 51 })], [], at(30 * HOUR));
    await settle(1.75);
    expect(await incidentsMade()).toMatchObject([{ status: 'open', resolution: null, effectMs: 8 }]);
    // However late the server came to look, it is accepted of the hour at which it was due.
    await settle(5);
    const [incident] = await incidentsMade();
    expect(incident).toMatchObject({ status: 'resolved', resolution: 'accepted', resolvedBy: null, effectMs: 8 });
    expect(incident?.resolvedAt).toEqual(at(43 * HOUR));
    expect(incident?.timeline.filter((kind) => kind === 'accepted' || kind === 'resolved')).toEqual(['accepted']);
    const { params } = await getPrisma().incidentEvent.findFirstOrThrow({ where: { kind: 'accepted' } });
    expect(params).toEqual({ reason: 'small' });
    expect(await messageTypes()).toEqual(['tls.regression.opened', 'tls.regression.accepted']);
    const { payload } = await getPrisma().delivery.findFirstOrThrow({
      where: { eventType: 'tls.regression.accepted' },
    });
    expect(payload).toMatchObject({
      data: {
        resolution: 'accepted',
        effectMs: 8,
        summary: expect.stringMatching(/accepted as the new level: .*, TLS \+8 ms \(\+16%\), since 2026-11-20/),
      },
    });
  });

  it('that is large stands after 48 hours, however long it lasts, and tells what it has cost', async () => {
    await record([rise()], [], NOON);
    await settle(1.75);
    expect(await incidentsMade()).toMatchObject([{ status: 'open', standingSince: null }]);
    await settle(3);
    const measured = NOON.getTime() / 1_000 + 29 * 86_400;
    const one = { from: measured, to: measured + 60 };
    await writeHistory([{ targetId, vantage: beijing }], one, () => ({ rtt: 40, tls: 150 }));
    await settle(30);
    const [incident] = await incidentsMade();
    expect(incident).toMatchObject({ status: 'open', resolution: null, standingSince: at(43 * HOUR) });
    expect(incident?.timeline.filter((kind) => kind === 'standing')).toHaveLength(1);
    expect(await messageTypes()).toEqual(['tls.regression.opened', 'tls.regression.updated']);
    const { id } = incident ?? { id: '' };
    expect(await getIncident(id, getPrisma(), at(95 * HOUR))).toMatchObject({
      state: 'standing',
      standingSince: at(43 * HOUR).toISOString(),
      cost: { hours: 100, meanExcessMs: 100, users: null },
      next: null,
    });
    const stateOf = async (state: string) =>
      (await listIncidents(IncidentsQuery.parse({ state }))).data.map((each) => each.state);
    expect([await stateOf('standing'), await stateOf('open'), await stateOf('open,standing')]).toEqual([
      ['standing'],
      [],
      ['standing'],
    ]);
    expect(await countIncidents()).toEqual({ open: 0, acknowledged: 0, standing: 1 });
  });

  it('that came back after two days is decided two days later, with no message before', async () => {
    await record([rise()], [], NOON);
    const back = { targetId, vantage: beijing, at: at(40 * HOUR), changeAt: at(35 * HOUR), group: 'later' };
    await record([makeDetection({ ...back, kind: 'improvement', beforeMs: 150, afterMs: 50 })], [], at(40 * HOUR));
    await record([rise({ at: at(70 * HOUR), changeAt: at(66 * HOUR), vantage: guangdong })], [], at(70 * HOUR));
    expect(await incidentsMade()).toMatchObject([{ status: 'open', reopened: 1, reopenedAt: at(70 * HOUR) }]);
    await settle(3);
    expect(await incidentsMade()).toMatchObject([{ status: 'open', standingSince: null }]);
    const before = ['tls.regression.opened', 'tls.regression.resolved', 'tls.regression.opened'];
    expect(await messageTypes()).toEqual(before);
    await settle(5);
    expect(await incidentsMade()).toMatchObject([{ status: 'open', standingSince: at(118 * HOUR) }]);
    expect(await messageTypes()).toEqual([...before, 'tls.regression.updated']);
  });

  it('that stands is sent again once a day at most, until somebody has acknowledged it', async () => {
    await getPrisma().alertRule.updateMany({ where: { kind: 'detector' }, data: { reminderMinutes: 60 } });
    await record([rise()], [], NOON);
    const stands = 2 * 24 * HOUR;
    await settleIncidents({ before: 0, position: at(stands).getTime() / 1_000 }, at(stands));
    const reminders = async () => (await messageTypes()).filter((type) => type === 'tls.regression.opened').length - 1;
    await sweepIncidents(at(stands + MINUTE));
    await sweepIncidents(at(stands + 24 * HOUR));
    expect(await reminders()).toBe(0);
    await sweepIncidents(at(stands + 24 * HOUR + MINUTE));
    await sweepIncidents(at(stands + 26 * HOUR));
    expect(await reminders()).toBe(1);
    const [incident] = await incidentsMade();
    await updateIncident(incident?.id ?? '', { action: 'acknowledge', note: '' }, 'Li', at(stands + 30 * HOUR));
    await sweepIncidents(at(stands + 90 * HOUR));
    expect(await reminders()).toBe(1);
    await getPrisma().alertRule.updateMany({ where: { kind: 'detector' }, data: { reminderMinutes: null } });
  });

  it.each([
    ['by the detector’s word', 55, true],
    ['by its results at the same hours of the day', 55, false],
    ['not where it is not back', 120, false],
  ])('that has stood for ten days ends when its level comes back: %s', async (_how, tls, told) => {
    await record([rise()], [], NOON);
    await settle(3);
    expect(await incidentsMade()).toMatchObject([{ status: 'open', standingSince: at(43 * HOUR) }]);
    const days = 10 * 24 * HOUR;
    if (told) {
      // The detector's baseline was begun anew at the new level: what fell from it is an improvement of its own to it.
      const back = { targetId, vantage: beijing, at: at(days), changeAt: at(days - 5 * HOUR), group: 'much later' };
      await record([makeDetection({ ...back, kind: 'improvement', beforeMs: 149, afterMs: tls })], [], at(days));
    } else {
      const from = (NOON.getTime() + days) / 1_000 - 5 * 3_600;
      await writeHistory([{ targetId, vantage: beijing }], { from, to: from + 5 * 3_600 }, () => ({ rtt: 40, tls }));
      await settle(10);
    }
    const ended = { status: 'resolved', resolution: 'rolled_back', standingSince: at(43 * HOUR) };
    expect(await incidentsMade()).toMatchObject([tls < 100 ? ended : { status: 'open' }]);
    if (told) expect(await lastTold()).toMatchObject({ overAt: at(days - 5 * HOUR).toISOString(), status: 'resolved' });
    const last = tls < 100 ? ['tls.regression.resolved'] : [];
    expect(await messageTypes()).toEqual(['tls.regression.opened', 'tls.regression.updated', ...last]);
  });

  it('whose series nobody measured for eight days ends, whatever its size: rollups say it, or the results themselves', async () => {
    const elsewhere = { targetId, vantage: guangdong, at: NOON, changeAt: at(-5 * HOUR), kind: 'regression' } as const;
    await record([rise(), makeDetection({ ...elsewhere, afterMs: 90 })], [], NOON);
    const from = NOON.getTime() / 1_000;
    const slow = () => ({ rtt: 40, tls: 150 });
    await writeHistory([{ targetId, vantage: beijing }], { from, to: from + 3_600, period: 600 }, slow);
    await writeHistory([{ targetId, vantage: guangdong }], { from: from + 86_400, to: from + 86_460 }, slow);
    await settle(7.5);
    expect(await incidentsMade()).toMatchObject([
      { status: 'open', cells: [{ recoveredAt: null }, { recoveredAt: null }] },
    ]);
    await rollUpHistory();
    await settle(8.5);
    const cells = [{ recoveredAt: expect.stringMatching(/^2026-11-29T00:0/) }, { recoveredAt: null }];
    expect(await incidentsMade()).toMatchObject([{ status: 'open', cells, effectMs: 40 }]);
    await settle(9.5);
    expect(await incidentsMade()).toMatchObject([{ status: 'resolved', resolution: 'unwatched' }]);
    const resolved = await getPrisma().incidentEvent.findFirst({ where: { kind: 'resolved' } });
    expect(resolved?.params).toEqual({ reason: 'no_results' });
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
    await notifyLasting(now);
    await notifyLasting(now);
    expect((await messageTypes()).sort()).toEqual(['tls.regression.opened', 'tls.spike.opened']);
    expect((await incidentsMade()).map(({ backfilled }) => backfilled)).toEqual([true, false, false]);
  });
});
