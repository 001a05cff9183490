import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { kindToken, markAnnotations, numberedMarks } from '#components/charts/marks.ts';
import { actorName } from '#components/incident/actor.ts';
import { effectTexts, lastedMs } from '#components/incident/incident-text.ts';
import { type Message, notificationOf } from '#components/incident/notification.ts';
import { countedEvents } from '#components/incident/timeline-lines.ts';
import { ruleEvents } from '#components/rule/message-panel.tsx';
import { ruleName } from '#components/rule/rule-name.ts';
import { AlertRule } from '#contract/alert-rule.ts';
import type { Incident, IncidentCell, IncidentEvent } from '#contract/incident.ts';
import { INCIDENT_KINDS } from '#contract/incident-vocabulary.ts';
import { badgeText, measuredAs, valueText } from '#i18n/incident.ts';
import { translator } from '#i18n/translator.ts';
import type { Ui } from '#i18n/ui.ts';

const ui: Ui = { locale: 'en', theme: 'light', timeZone: 'UTC', t: translator('en') };
const chinese: Ui = { ...ui, locale: 'zh-CN', t: translator('zh-CN') };
const NOON = '2026-11-20T12:00:00.000Z';
const LATER = '2026-11-20T12:30:00.000Z';

const event = (kind: IncidentEvent['kind'], cells: unknown, at = NOON): IncidentEvent => ({
  id: '01940000-0000-7000-8000-000000000001',
  at,
  kind,
  text: '',
  params: { cells },
});
const line = (vantageId: string) => ({ targetId: 't', vantageId, kind: 'spike' });
const cell = (vantageId: string, at: string) => ({ ...line(vantageId), at }) as IncidentCell;

describe('the timeline of an incident', () => {
  it('counts a line once, however many of its metrics moved', () => {
    const cells = [cell('a', NOON), cell('a', NOON), cell('b', NOON), cell('c', LATER)];
    const events = [
      event('opened', 3),
      event('cell_added', [line('b')], LATER),
      event('cell_added', [line('c')], LATER),
    ];
    expect(countedEvents(events, cells).map(({ kind, lines }) => [kind, lines])).toEqual([
      ['opened', 2],
      ['cell_added', 1],
    ]);
  });

  it('knows the lines that it began with, also where all of them came to stay', () => {
    const lines = [line('a'), line('b')];
    const later = [event('cell_added', lines, LATER), event('escalated', undefined, LATER)];
    const cells = [cell('a', LATER), cell('b', LATER)];
    for (const [kind, params] of [
      ['opened', { cells: 2, series: lines }],
      ['split', { from: 'x', cells: lines }],
    ] as const) {
      const events = [{ ...event(kind, undefined), params }, ...later];
      expect(countedEvents(events, cells).map((each) => [each.kind, each.lines])).toEqual([
        [kind, 2],
        ['escalated', 0],
      ]);
    }
  });

  it('adds up a run of lines that join, and ends it with what happened in between', () => {
    const events = [
      event('opened', 1),
      event('cell_added', [line('b')]),
      event('cell_added', [line('c'), line('d')]),
      event('acknowledged', undefined),
      event('cell_recovered', [line('b')]),
      event('cell_recovered', [line('b'), line('c')]),
    ];
    expect(countedEvents(events, [cell('a', NOON)]).map(({ kind, lines }) => [kind, lines])).toEqual([
      ['opened', 1],
      ['cell_added', 3],
      ['acknowledged', 0],
      ['cell_recovered', 2],
    ]);
  });
});

describe('how long an incident lasted', () => {
  it('is from its onset to when it was over, to now where it goes on', () => {
    const now = Date.parse(NOON) + 7_200_000;
    const lasted = (overAt: string | null) => lastedMs({ onsetAt: NOON, overAt, resolvedAt: LATER } as Incident, now);
    expect(lasted('2026-11-20T12:10:00.000Z')).toBe(600_000);
    expect(lasted(null)).toBe(7_200_000);
  });
});

describe('who was told', () => {
  const incident = { status: 'open', silenced: false, flapping: false } as Incident;
  const message = (status: Message['status'], attempts = 0) => ({ status, attempts, webhookName: 'Ops' }) as Message;

  it('is nobody where no message was made, and why where something held it back', () => {
    expect(notificationOf(ui, incident, [])).toEqual({ tone: 'bad', text: 'None', who: '' });
    expect(notificationOf(ui, { ...incident, silenced: true }, [])).toMatchObject({ tone: 'warn', text: /silence/ });
    expect(notificationOf(ui, { ...incident, status: 'resolved' }, [])).toMatchObject({ tone: 'plain', text: 'None' });
    expect(notificationOf(ui, incident, [message('cancelled')])).toMatchObject({ text: 'None' });
  });

  it('tells what did not arrive before what did', () => {
    const arrived = message('delivered', 1);
    expect(notificationOf(ui, incident, [arrived, arrived])).toEqual({
      tone: 'good',
      text: '2 messages delivered',
      who: 'Ops',
    });
    expect(notificationOf(ui, incident, [arrived, message('pending')])).toMatchObject({
      tone: 'warn',
      text: 'pending',
    });
    expect(notificationOf(ui, incident, [arrived, message('pending', 3)]).text).toBe(
      'not delivered yet: 3 attempts failed',
    );
    expect(notificationOf(ui, incident, [arrived, message('failed', 10)])).toMatchObject({ tone: 'bad' });
    expect(notificationOf(ui, incident, [message('grouped')])).toMatchObject({ tone: 'good' });
  });
});

describe('how bad an incident without milliseconds is', () => {
  it('is what its rule saw', () => {
    const evidence = { servers: [{ hitRatio: 0.5 }, { hitRatio: 0.1 }] };
    expect(badgeText(ui, { kind: 'staple', evidence })).toBe('10% good staples');
    expect(badgeText(ui, { kind: 'certificate', evidence: { daysLeft: 1 } })).toBe('1 day left');
    expect(badgeText(ui, { kind: 'down', evidence: { vantagesDown: 3, vantagesMeasured: 4 } })).toBe('3 of 4 fail');
  });

  it('is nothing where the evidence does not say', () => {
    for (const kind of INCIDENT_KINDS) expect(badgeText(ui, { kind, evidence: {} })).toBeNull();
  });
});

describe('the values of an incident', () => {
  const threshold = (stat: string) => ({ kind: 'threshold', metric: 'tls', evidence: { stat } }) as unknown as Incident;

  it('have the unit of the statistic where that is no time', () => {
    expect(valueText(ui, measuredAs(threshold('availability')), 0.93)).toBe('93%');
    expect(valueText(ui, measuredAs(threshold('p95')), 93)).toBe('93.0 ms');
    expect(valueText(ui, 'failures', 0.5)).toBe('50%');
    expect(effectTexts(ui, { ...threshold('availability'), effectMs: -0.07, effectRatio: null }).ms).toBe('−7%');
  });
});

describe('marks on charts', () => {
  it('are numbered in the order of time, and a spike takes the time that it lasted', () => {
    const marker = { at: LATER } as Parameters<typeof numberedMarks>[0][number];
    const spike = { kind: 'spike', onsetAt: NOON, overAt: LATER, resolvedAt: '2026-11-20T13:00:00.000Z' } as Incident;
    const range = { from: Date.parse(NOON), to: Date.parse(LATER) };
    const marks = numberedMarks([marker], [spike], range.from);
    expect(markAnnotations(marks, range)).toEqual([
      { kind: 'span', from: Date.parse(NOON), to: Date.parse(LATER), label: '1', token: '--warn' },
      { kind: 'line', at: Date.parse(LATER), label: '2', token: '--accent', dashed: true },
    ]);
  });

  it('begin with the range where they began before it', () => {
    const spike = { kind: 'spike', onsetAt: NOON, overAt: null, resolvedAt: null } as Incident;
    const [from, to] = [Date.parse(LATER), Date.parse(LATER) + 3_600_000];
    expect(markAnnotations(numberedMarks([], [spike], from), { from, to })).toEqual([
      { kind: 'span', from, to, label: '1', token: '--warn' },
    ]);
  });

  it('have the colour of what they mean', () => {
    expect(['regression', 'improvement', 'spike', 'marker'].map(kindToken)).toEqual([
      '--bad',
      '--good',
      '--warn',
      '--accent',
    ]);
  });
});

describe('the messages of a rule', () => {
  const stored = { id: '01940000-0000-7000-8000-000000000001', name: 'r', enabled: true, targetIds: [], regions: [] };
  const rest = { carriers: [], minCells: 1, severity: 'warning', reminderMinutes: null };
  const dates = { demo: false, managed: false, createdAt: NOON, updatedAt: NOON };

  it('are those of the kinds that it raises; an improvement is never over', () => {
    const params = { kinds: ['spike', 'improvement'] };
    const rule = AlertRule.parse({ ...stored, ...rest, ...dates, kind: 'detector', metric: null, params });
    expect(ruleEvents(rule)).toEqual(['tls.spike.opened', 'tls.spike.resolved', 'tls.improvement.detected']);
  });

  it('of a certificate tell that it ends, and that it was renewed', () => {
    const rule = AlertRule.parse({
      ...stored,
      ...rest,
      ...dates,
      kind: 'certificate',
      metric: null,
      params: { days: 14 },
    });
    expect(ruleEvents(rule)).toEqual(['certificate.expiring', 'certificate.renewed']);
  });
});

describe('names of what came with the installation', () => {
  const seed = readFileSync('prisma/migrations/0001_init/migration.sql', 'utf8');
  const seeded = [...seed.matchAll(/\('(01940000-[0-9a-f-]+)', '([^']+)', '[a-z]+'/g)].map(
    ([, id = '', name = '']) => ({
      id,
      name,
    }),
  );

  it('are those of the seed in English, and Chinese in Chinese', () => {
    expect(seeded).toHaveLength(5);
    expect(seeded.map((rule) => ruleName(ui, rule))).toEqual(seeded.map(({ name }) => name));
    for (const rule of seeded) expect(ruleName(chinese, rule)).toMatch(/\p{Script=Han}/u);
  });

  it('stay what somebody made of them', () => {
    const [rule = { id: '', name: '' }] = seeded;
    expect(ruleName(chinese, { ...rule, name: 'Shop' })).toBe('Shop');
    expect(ruleName(chinese, { ...rule, id: null })).toBe(rule.name);
  });

  it('call whoever was signed in the administrator, and keys by their name', () => {
    expect(actorName(ui, 'dashboard')).toBe('the administrator');
    expect(actorName(chinese, 'dashboard')).toBe('管理员');
    expect(actorName(chinese, 'deploy bot')).toBe('deploy bot');
  });
});
