import { v7 } from 'uuid';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { getPool, getPrisma } from '#server/database/database.ts';
import { EXAMPLE_MESSAGE } from '#server/http/openapi-webhooks.ts';
import { type Batch, beginBatch, writeBatch } from '#server/incidents/batch.ts';
import { updateIncident } from '#server/incidents/by-hand.ts';
import { continueIncident, endIncident, type IncidentOpening, openIncident } from '#server/incidents/open.ts';
import { createSilence } from '#server/incidents/silences.ts';
import { cellOf, lockIncidents, type StoredCell } from '#server/incidents/stored-incident.ts';
import { sweepIncidents } from '#server/incidents/sweep.ts';
import { messageErrors } from '../support/openapi.ts';
import { insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { makeVantage } from '../support/vantages.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const RULE = '01940000-0000-7000-8000-000000000001';
const vantage = makeVantage('CN-GD', 'telecom');
const NOON = new Date('2026-11-20T12:00:00Z');
const at = (ms: number) => new Date(NOON.getTime() + ms);

/** A webhook that wants everything. */
const ALL = { events: [], ruleIds: [], severities: [] };

let targetId: string;
prepareTestDatabase([vantage]);
beforeAll(async () => {
  targetId = await insertTarget();
  await getPrisma().webhook.create({
    data: { id: v7(), name: 'hook', format: 'standard', secrets: '', language: 'en', settings: {}, ...ALL },
  });
});
beforeEach(async () => {
  await getPool().query('truncate incident, incident_event, detection, delivery, silence, marker cascade');
});

const cellAt = (at: Date, kind: StoredCell['kind'] = 'spike') =>
  cellOf({
    targetId,
    vantageId: vantage.id,
    region: 'CN-GD',
    carrier: 'telecom',
    kind,
    metric: 'tls',
    at,
    beforeMs: 50,
    afterMs: 150,
  });

function findingAt(when: Date, kind: IncidentOpening['kind'] = 'spike'): IncidentOpening {
  return {
    ruleId: RULE,
    severity: 'warning',
    kind,
    groupKey: `target:${targetId}`,
    groups: [`g${when.getTime()}`],
    metric: 'tls',
    cause: 'server',
    onsetAt: when,
    at: when,
    cells: [cellAt(when, kind)],
    evidence: {},
    demo: false,
  };
}

/** Does something to incidents in one transaction, as the jobs do. */
function inBatch<T>(now: Date, work: (batch: Batch) => Promise<T>): Promise<T> {
  return getPrisma().$transaction(async (db) => {
    const batch = await beginBatch(db, now);
    const value = await work(batch);
    await writeBatch(batch);
    return value;
  });
}

const open = (when: Date, now = when, kind: IncidentOpening['kind'] = 'spike') =>
  inBatch(now, (batch) => openIncident(batch, findingAt(when, kind)));

async function again(id: string, when: Date, kind: IncidentOpening['kind'] = 'spike'): Promise<void> {
  await inBatch(when, async (batch) => {
    const [incident] = await lockIncidents(batch.db, { id });
    if (incident) await continueIncident(batch, incident, findingAt(when, kind));
  });
}

async function resolve(id: string, when: Date): Promise<void> {
  await inBatch(when, async (batch) => {
    const [incident] = await lockIncidents(batch.db, { id });
    if (incident) endIncident(batch, incident, { reason: 'quiet' });
  });
}

/** The types of all messages in the outbox, in their order. */
async function messages(): Promise<string[]> {
  const rows = await getPrisma().delivery.findMany({ orderBy: { sequence: 'asc' } });
  return rows.map(({ eventType }) => eventType);
}

async function timeline(incidentId: string): Promise<string[]> {
  const rows = await getPrisma().incidentEvent.findMany({
    where: { incidentId },
    orderBy: [{ at: 'asc' }, { id: 'asc' }],
  });
  return rows.map(({ kind }) => kind);
}

describe('an incident', () => {
  it('is told of when it opens and when it is over, once each, with its cells and their names', async () => {
    const { id } = await open(NOON);
    await resolve(id, at(HOUR));
    await sweepIncidents(at(HOUR));
    expect(await messages()).toEqual(['tls.spike.opened', 'tls.spike.resolved']);
    const [first] = await getPrisma().delivery.findMany({ orderBy: { sequence: 'asc' } });
    expect(first?.payload).toMatchObject({
      type: 'tls.spike.opened',
      data: {
        id,
        status: 'open',
        targetName: 'shop',
        effectMs: 100,
        effectRatio: 2,
        cause: 'server',
        url: `/incidents/${id}`,
        summary:
          'Spike: shop · Guangdong Telecom, TLS +100 ms (+200%), since 2026-11-20 12:00 UTC, probable cause: server',
        cells: [{ targetName: 'shop', vantageName: vantage.name, beforeMs: 50, afterMs: 150 }],
      },
    });
    expect(await timeline(id)).toEqual(['opened', 'told', 'resolved', 'told']);
    const payload = first?.payload ?? null;
    expect(messageErrors('incident', payload)).toBeNull();
    expect(Object.keys((payload as { data: object } | null)?.data ?? {}).toSorted()).toEqual(
      Object.keys(EXAMPLE_MESSAGE.data).toSorted(),
    );
  });

  it('that is older than an hour when it is found is kept, and nobody is told', async () => {
    const { id } = await open(NOON, at(HOUR + 1));
    await resolve(id, at(2 * HOUR));
    await sweepIncidents(at(2 * HOUR));
    expect(await messages()).toEqual([]);
    const recent = await open(NOON, at(HOUR));
    expect(await messages()).toEqual(['tls.spike.opened']);
    expect(recent.backfilled).toBe(false);
  });

  it('opens again, and what came to stay becomes a regression, which is told', async () => {
    const { id } = await open(NOON);
    await resolve(id, at(40 * MINUTE));
    await again(id, at(60 * MINUTE));
    await again(id, at(5 * HOUR), 'regression');
    expect(await messages()).toEqual([
      'tls.spike.opened',
      'tls.spike.resolved',
      'tls.spike.opened',
      'tls.regression.opened',
    ]);
    const row = await getPrisma().incident.findUniqueOrThrow({ where: { id } });
    expect(row).toMatchObject({ kind: 'regression', status: 'open', reopened: 1 });
    expect(await timeline(id)).toContain('escalated');
  });

  it('an improvement is over at once, and is told once', async () => {
    const { id, status } = await open(NOON, NOON, 'improvement');
    await again(id, at(MINUTE), 'improvement');
    await sweepIncidents(at(HOUR));
    expect(status).toBe('resolved');
    expect(await messages()).toEqual(['tls.improvement.detected']);
  });
});

describe('a silence', () => {
  it('holds messages back, not incidents; what is still open at its end is told then', async () => {
    await createSilence({ ...SILENCE, startsAt: at(-HOUR).toISOString(), endsAt: at(HOUR).toISOString() }, 'ops');
    const { id } = await open(NOON);
    const other = await open(at(MINUTE));
    await resolve(other.id, at(30 * MINUTE));
    await sweepIncidents(at(59 * MINUTE));
    expect(await messages()).toEqual([]);
    expect(await timeline(id)).toEqual(['opened', 'silenced']);
    await sweepIncidents(at(HOUR));
    expect(await messages()).toEqual(['tls.spike.opened']);
    expect(await timeline(id)).toEqual(['opened', 'silenced', 'told']);
  });

  it('of another region, carrier, kind or target holds nothing back', async () => {
    const times = { startsAt: at(-HOUR).toISOString() };
    await createSilence({ ...SILENCE, ...times, regions: ['CN-BJ'] }, 'ops');
    await createSilence({ ...SILENCE, ...times, carriers: ['unicom'] }, 'ops');
    await createSilence({ ...SILENCE, ...times, kinds: ['regression'] }, 'ops');
    await createSilence({ ...SILENCE, ...times, targetIds: [await insertTarget({ name: 'other' })] }, 'ops');
    await open(NOON);
    expect(await messages()).toEqual(['tls.spike.opened']);
  });

  it('by cron holds in its own time zone', async () => {
    // 19:30 in Shanghai is 11:30 UTC; it lasts an hour.
    const silence = { cron: '30 19 * * *', durationMinutes: 60, timeZone: 'Asia/Shanghai' };
    await createSilence({ ...SILENCE, ...silence, startsAt: at(-72 * HOUR).toISOString() }, 'ops');
    await open(NOON);
    expect(await messages()).toEqual([]);
    await open(at(30 * MINUTE));
    expect(await messages()).toEqual(['tls.spike.opened']);
  });
});

const SILENCE = {
  targetIds: [],
  regions: [],
  carriers: [],
  kinds: [],
  endsAt: null,
  cron: null,
  durationMinutes: null,
  timeZone: 'UTC',
  comment: '',
};

describe('reminders', () => {
  it('come as often as the rule says while nobody has acknowledged', async () => {
    await getPrisma().alertRule.update({ where: { id: RULE }, data: { reminderMinutes: 30 } });
    const { id } = await open(NOON);
    await sweepIncidents(at(29 * MINUTE));
    expect(await messages()).toHaveLength(1);
    await sweepIncidents(at(30 * MINUTE));
    await sweepIncidents(at(31 * MINUTE));
    expect(await messages()).toHaveLength(2);
    await sweepIncidents(at(60 * MINUTE));
    expect(await messages()).toEqual(Array(3).fill('tls.spike.opened'));
    const reminder = await getPrisma().delivery.findFirst({ orderBy: { sequence: 'desc' } });
    expect(reminder?.payload).toMatchObject({ data: { reminder: true } });
    await updateIncident(id, { action: 'acknowledge', note: 'on it' }, 'ops', at(HOUR));
    await sweepIncidents(at(3 * HOUR));
    expect(await messages()).toHaveLength(3);
    await resolve(id, at(4 * HOUR));
    expect((await messages()).slice(3)).toEqual(['tls.spike.resolved']);
    const reminded = ['told', 'reminded', 'told', 'reminded'];
    expect(await timeline(id)).toEqual(['opened', 'told', ...reminded, 'acknowledged', 'resolved', 'told']);
    await getPrisma().alertRule.update({ where: { id: RULE }, data: { reminderMinutes: null } });
  });
});
