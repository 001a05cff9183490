import { v7 } from 'uuid';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeIncident } from '#i18n/incident.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { updateIncident } from '#server/incidents/by-hand.ts';
import { listIncidents } from '#server/incidents/incidents.ts';
import { createSilence } from '#server/incidents/silences.ts';
import { sweepIncidents } from '#server/incidents/sweep.ts';
import { evaluateFastRules } from '#server/rules/evaluate.ts';
import { createAlertRule, updateAlertRule } from '#server/rules/rules.ts';
import { voiceOf } from '#server/webhooks/text.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { incidentsMade, insertWebhook, messageTypes } from '../support/detecting.ts';
import { isLong } from '../support/extent.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { fail, insertRolledUp, OFFLINE, REFUSED } from '../support/minutes.ts';
import { insertTarget } from '../support/places.ts';
import { makeVantage } from '../support/vantages.ts';

// What a person notices of the rules over hours: results are stored as probers send them, rules are evaluated and time is
// looked at as the jobs do, by a clock that the test sets forward.

const MINUTE = 60_000;
const DOWN_RULE = '01940000-0000-7000-8000-000000000002';
const vantages = ['CN-BJ', 'CN-GD', 'CN-HB', 'CN-SH'].map((region) => makeVantage(region, 'unicom'));
const START = WEDNESDAY;
const LONG_AGO = new Date(START - 86_400_000);

let database: TestDatabase;
let targetId: string;
let minute: number;
beforeEach(async () => {
  database = await testDatabase(vantages);
  targetId = await insertTarget();
  await insertWebhook();
  await getPool().query(`update target set updated_at = $1`, [LONG_AGO]);
  await getPool().query(`update prober set created_at = $1`, [LONG_AGO]);
  minute = 0;
});
afterEach(() => database.drop());

const WHY = { target: REFUSED, prober: OFFLINE };

const clock = () => new Date(START + minute * MINUTE);

/** So many minutes go by, in which these vantages measure once a minute; then rules and time are looked at. */
async function pass(minutes: number, failing: keyof typeof WHY | null = null, places = vantages): Promise<Date> {
  await insertRolledUp({
    targetId,
    vantages: places,
    from: START + minute * MINUTE,
    count: minutes,
    change: (result) => failing && fail(result, WHY[failing]),
  });
  minute += minutes;
  return await look();
}

async function look(upSince = LONG_AGO): Promise<Date> {
  const now = clock();
  await evaluateFastRules(now, upSince);
  await sweepIncidents(now);
  return now;
}

describe('a target that comes and goes', () => {
  it('is told as flapping at its third time within the hour, and then no more until it has been calm for an hour', async () => {
    await pass(10);
    for (let time = 0; time < 4; time += 1) {
      await pass(6, 'target');
      await pass(4);
    }
    expect(await messageTypes()).toEqual([
      'target.down',
      'target.recovered',
      'target.down',
      'target.recovered',
      'target.down',
    ]);
    const last = await getPrisma().delivery.findFirst({ orderBy: { sequence: 'desc' } });
    expect(last?.payload).toMatchObject({ data: { flapping: true } });
    const before = await incidentsMade();
    expect(before).toMatchObject([{ kind: 'down', status: 'resolved', reopened: 3, flapping: true }]);
    await pass(30);
    expect(await messageTypes()).toHaveLength(5);
    await pass(31);
    expect((await messageTypes()).slice(5)).toEqual(['target.recovered']);
    expect(await incidentsMade()).toMatchObject([{ flapping: false }]);
  });

  it.runIf(isLong)('is the same incident within an hour of its end, and another one later', async () => {
    await pass(6, 'target');
    await pass(10);
    await pass(6, 'target');
    await pass(10);
    expect(await incidentsMade()).toMatchObject([{ reopened: 1 }]);
    await pass(55);
    await pass(6, 'target');
    expect(await incidentsMade()).toMatchObject([
      { reopened: 1, status: 'resolved' },
      { reopened: 0, status: 'open' },
    ]);
  });
});

describe('a target that stays down', () => {
  it.runIf(isLong)('is told again as often as its rule says, until somebody acknowledges or it recovers', async () => {
    await getPrisma().alertRule.update({ where: { id: DOWN_RULE }, data: { reminderMinutes: 30 } });
    for (let time = 0; time < 11; time += 1) await pass(6, 'target');
    expect(await messageTypes()).toEqual(['target.down', 'target.down', 'target.down']);
    const reminder = await getPrisma().delivery.findFirst({ orderBy: { sequence: 'desc' } });
    expect(reminder?.payload).toMatchObject({ data: { reminder: true } });
    const [incident] = await incidentsMade();
    await updateIncident(incident?.id ?? '', { action: 'acknowledge', note: 'on it' }, 'ops', clock());
    for (let time = 0; time < 5; time += 1) await pass(10, 'target');
    expect(await messageTypes()).toHaveLength(3);
    await pass(2);
    expect((await messageTypes()).slice(3)).toEqual(['target.recovered']);
    expect((await incidentsMade())[0]?.timeline).toEqual([
      'opened',
      'told',
      ...['told', 'reminded', 'told', 'reminded'],
      'acknowledged',
      'resolved',
      'told',
    ]);
  });

  it.runIf(isLong)(
    'is told after the window of maintenance in which it went down, where it is still down then',
    async () => {
      const begin = new Date(START);
      const cron = `${begin.getUTCMinutes()} ${begin.getUTCHours()} * * *`;
      await createSilence({ ...SILENCE, cron, durationMinutes: 60 }, 'ops');
      await pass(6, 'target');
      await pass(10);
      await pass(30, 'target');
      expect(await messageTypes()).toEqual([]);
      expect((await incidentsMade()).map(({ silenced }) => silenced)).toEqual([true]);
      await pass(13, 'target');
      expect(await messageTypes()).toEqual([]);
      await pass(1, 'target');
      expect(await messageTypes()).toEqual(['target.down']);
      expect(await incidentsMade()).toMatchObject([{ silenced: false, status: 'open' }]);
    },
  );

  it.runIf(isLong)(
    'has no open incident under a rule that is switched off, or that no longer is about it',
    async () => {
      await pass(6, 'target');
      await updateAlertRule(DOWN_RULE, { enabled: false }, clock());
      expect(await incidentsMade()).toMatchObject([{ status: 'resolved' }]);
      await updateAlertRule(DOWN_RULE, { enabled: true }, clock());
      await look();
      expect(await incidentsMade()).toMatchObject([{ status: 'open', reopened: 1 }]);
      await updateAlertRule(DOWN_RULE, { targetIds: [await insertTarget({ name: 'other' })] }, clock());
      await look();
      expect(await incidentsMade()).toMatchObject([{ status: 'resolved' }]);
    },
  );
});

const SILENCE = {
  targetIds: [],
  regions: [],
  carriers: [],
  kinds: [],
  startsAt: new Date(START - 86_400_000).toISOString(),
  endsAt: null,
  cron: null,
  durationMinutes: null,
  timeZone: 'UTC',
  comment: 'maintenance',
};

describe('a fault of the probers', () => {
  it('opens nothing: neither down, nor a threshold of availability or failures', async () => {
    const common = { enabled: true, targetIds: [], regions: [], carriers: [], severity: 'critical' as const };
    await createAlertRule({
      kind: 'threshold',
      name: 'availability',
      metric: 'total',
      params: { stat: 'availability', above: null, below: 0.99, windowMinutes: 10, minResults: 1 },
      ...common,
      minCells: 1,
      reminderMinutes: null,
    });
    await pass(10);
    await pass(20, 'prober');
    expect(await incidentsMade()).toEqual([]);
    await pass(10, 'target');
    expect((await incidentsMade()).map(({ kind }) => kind).sort()).toEqual(['down', 'threshold']);
  });
});

describe('vantages from which nothing comes', () => {
  beforeEach(async () => {
    for (const { id } of vantages)
      await getPool().query('insert into "check" (id, target_id, vantage_id, revision) values ($1, $2, $3, 1)', [
        v7(),
        targetId,
        id,
      ]);
  });

  it.runIf(isLong)('are silent, and say nothing of the target: neither that it is down nor that it is up', async () => {
    await getPool().query(`update prober set host = 'bj-1'`);
    await pass(10);
    await pass(12, null, vantages.slice(2));
    expect(await incidentsMade()).toMatchObject([
      { kind: 'silent', evidence: { prober: { host: 'bj-1', vantages: 4, silent: 2 } } },
    ]);
    await pass(12, 'target', vantages.slice(2));
    const down = (await incidentsMade()).filter(({ kind }) => kind === 'down');
    expect(down).toMatchObject([{ status: 'open', evidence: { vantagesDown: 2, vantagesMeasured: 2 } }]);
    // Now no vantage is left that could say: all of the one prober are one incident.
    await pass(12, null, []);
    expect(await incidentsMade()).toHaveLength(2);
    const { data } = await listIncidents({ kind: ['silent'], limit: 10 });
    expect(data).toMatchObject([
      { status: 'open', affected: { vantages: 4 }, evidence: { prober: { vantages: 4, silent: 4 } } },
    ]);
    expect(data.map((incident) => describeIncident(voiceOf('en'), incident, () => 'noon').headline)).toEqual([
      expect.stringMatching(/^Prober silent: bj-1: 4 vantages/),
    ]);
    expect((await incidentsMade()).filter(({ kind }) => kind === 'down')).toMatchObject([{ status: 'open' }]);
    await pass(12);
    expect((await incidentsMade()).every(({ status }) => status === 'resolved')).toBe(true);
  });

  it.runIf(isLong)(
    'count among those that are asked: one of four that fails is not enough, however many are silent',
    async () => {
      const downs = async () => (await incidentsMade()).filter(({ kind }) => kind === 'down');
      await pass(10);
      await pass(12, 'target', vantages.slice(3));
      expect(await downs()).toEqual([]);
      await pass(6, 'target', vantages.slice(2));
      const evidence = { vantagesDown: 2, vantagesMeasured: 2, vantagesExpected: 4 };
      expect(await downs()).toMatchObject([{ status: 'open', evidence }]);
      // One of the two falls silent too: what is left does not say that it is over.
      await pass(12, 'target', vantages.slice(3));
      expect(await downs()).toMatchObject([{ status: 'open' }]);
      await pass(6, null, vantages.slice(3));
      expect(await downs()).toMatchObject([{ status: 'resolved', resolution: 'recovered' }]);
    },
  );
});
