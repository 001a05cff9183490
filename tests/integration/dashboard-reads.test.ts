import { v7 } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { incidentChart } from '#app/incidents/[id]/chart.ts';
import { targetMarks } from '#app/targets/[id]/trend/marks.ts';
import { measureOf } from '#components/incident/measure.ts';
import { AlertRuleCreate } from '#contract/alert-rule.ts';
import type { IncidentKind } from '#contract/incident-vocabulary.ts';
import { WebhookCreate } from '#contract/webhook.ts';
import { translator } from '#i18n/translator.ts';
import type { Ui } from '#i18n/ui.ts';
import { getPrisma } from '#server/database/database.ts';
import { getIncident } from '#server/incidents/incidents.ts';
import { cellOf } from '#server/incidents/stored-incident.ts';
import { targetMarksSince } from '#server/incidents/target-incidents.ts';
import { createMarker } from '#server/markers/markers.ts';
import { ruleMessage } from '#server/rules/evaluate.ts';
import { createAlertRule } from '#server/rules/rules.ts';
import { latestDeliveries } from '#server/webhooks/deliveries.ts';
import { createWebhook } from '#server/webhooks/webhooks.ts';
import { allowLoopback } from '../support/deliveries.ts';
import { insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';

prepareTestDatabase();
beforeAll(async () => {
  allowLoopback(); // and a secret, to seal webhooks with
});

const ui: Ui = { locale: 'en', theme: 'light', timeZone: 'UTC', t: translator('en') };
const NOON = new Date('2026-11-20T12:00:00Z');
const hours = (count: number) => new Date(NOON.getTime() + count * 3_600_000);

type Made = { kind: IncidentKind; status?: string; at: Date; targets: string[]; ruleId?: string };

async function insertIncident({ kind, status = 'open', at, targets, ruleId = v7() }: Made): Promise<string> {
  const id = v7({ msecs: at.getTime() });
  const cells = targets.flatMap((targetId) => ['tls', 'tcp'].map((metric) => cellOf({ targetId, kind, metric, at })));
  const found = { id, kind, status, metric: 'tls', cells, ruleId, openedAt: at, onsetAt: at };
  await getPrisma().incident.create({ data: { ...found, groupKey: id, groups: [], severity: 'warning' } });
  return id;
}

async function insertDelivery(webhookId: string, eventType: string, incidentId: string | null, data = {}) {
  const payload = { type: eventType, timestamp: NOON.toISOString(), data };
  return getPrisma().delivery.create({
    data: { id: v7(), webhookId, incidentId, eventType, severity: 'warning', payload, status: 'delivered' },
  });
}

const makeWebhook = (body: object) =>
  createWebhook(WebhookCreate.parse({ format: 'pagerduty', secret: 'R0UTING', ...body }));

describe('what happened to targets', () => {
  it('is each incident once for each of its targets, and markers; an old one counts while it is not resolved', async () => {
    const [shop, mail] = [await insertTarget(), await insertTarget()];
    await insertIncident({ kind: 'spike', at: hours(1), targets: [shop, mail], status: 'resolved' });
    await insertIncident({ kind: 'regression', at: hours(-99), targets: [shop] });
    await insertIncident({ kind: 'improvement', at: hours(-99), targets: [shop] });
    await insertIncident({ kind: 'spike', at: hours(-99), targets: [mail], status: 'resolved' });
    const marker = (targetId: string | null, at: Date) => ({ id: v7(), at, targetId, title: 'm', createdBy: 'test' });
    await getPrisma().marker.createMany({
      data: [marker(null, hours(2)), marker(mail, hours(3)), marker(mail, hours(-1))],
    });
    const all = await targetMarksSince(NOON);
    const spike = { at: hours(1).getTime(), kind: 'spike' };
    const everywhere = { at: hours(2).getTime(), kind: 'marker' };
    expect(all.get(shop)).toMatchObject({ open: [{ kind: 'regression' }], marks: [spike, everywhere] });
    expect(all.get(shop)?.open).toHaveLength(1);
    const own = { at: hours(3).getTime(), kind: 'marker' };
    expect(all.get(mail)?.open).toEqual([]);
    expect(all.get(mail)?.marks.toSorted((a, b) => a.at - b.at)).toEqual([spike, everywhere, own]);
  });
});

describe('the marks of a target in a range', () => {
  /** Apart from the markers of every target above. */
  const later = (count: number) => hours(100 + count);
  const range = { from: later(0).toISOString(), to: later(6).toISOString(), regions: [], carriers: [] };

  it('are what began in it, and what began before and lasted into it', async () => {
    const target = await insertTarget();
    const made = async (kind: IncidentKind, from: number, to: number | null) => {
      const id = await insertIncident({ kind, at: later(from), targets: [target] });
      const resolvedAt = to === null ? null : later(to);
      await getPrisma().incident.update({ where: { id }, data: { resolvedAt } });
      return id;
    };
    const open = await made('spike', -50, null);
    const ended = await made('down', -2, 1);
    const inside = await made('regression', 2, null);
    await made('regression', -2, null); // a moment of another range
    await made('spike', -3, -1);
    await made('spike', 6, null);
    const { marks, hidden } = await targetMarks(target, range);
    expect(marks.flatMap((mark) => (mark.kind === 'change' ? mark.incident.id : []))).toEqual([open, ended, inside]);
    expect(hidden).toBe(0);
  });

  it('are 20, what lasted into it among them, and say how many more there are', async () => {
    const target = await insertTarget();
    const open = await insertIncident({ kind: 'spike', at: later(-1), targets: [target] });
    for (let n = 0; n < 22; n += 1) await insertIncident({ kind: 'spike', at: later(n / 10), targets: [target] });
    const marker = { at: later(5).toISOString(), targetId: target, text: '', url: null };
    for (const title of ['one', 'two']) await createMarker({ ...marker, title }, 'dashboard');
    const { marks, hidden } = await targetMarks(target, range);
    expect(marks).toHaveLength(20);
    expect(marks[0]).toMatchObject({ n: 1, incident: { id: open } });
    expect(marks.slice(-2)).toMatchObject([{ kind: 'marker' }, { n: 20, kind: 'marker' }]);
    expect(hidden).toBe(5);
  });
});

describe('the chart of an incident', () => {
  it('is empty once its target was deleted, and the page can still be made', async () => {
    const target = await insertTarget();
    const id = await insertIncident({ kind: 'regression', at: hours(1), targets: [target] });
    const incident = await getIncident(id);
    const range = { from: NOON.toISOString(), to: hours(2).toISOString() };
    expect(await incidentChart(ui, incident, range)).toMatchObject({ metric: 'tls', lines: [] });
    await getPrisma().target.update({ where: { id: target }, data: { deletedAt: NOON } });
    expect(await incidentChart(ui, incident, range)).toMatchObject({
      ...{ metric: 'tls', lines: [], hidden: 0 },
      asked: { target, metric: 'tls', stat: 'p50', ...range, groupBy: 'region,carrier' },
    });
  });
});

describe('what the chart of an incident shows', () => {
  it.each(['max', 'p75', 'availability'])('is the statistic of its rule: %s', async (stat) => {
    const id = await insertIncident({ kind: 'threshold', at: hours(1), targets: [await insertTarget()] });
    const incident = { ...(await getIncident(id)), metric: 'tls', evidence: { stat } };
    expect(measureOf(incident)).toMatchObject({ metric: 'tls', stat });
  });
});

describe('the latest message of each webhook', () => {
  it('is its newest, and none where nothing was sent', async () => {
    const [busy, idle] = [await makeWebhook({ name: 'busy' }), await makeWebhook({ name: 'idle' })];
    await insertDelivery(busy.id, 'target.down', null);
    const newest = await insertDelivery(busy.id, 'target.recovered', null);
    const latest = await latestDeliveries();
    expect(latest.get(busy.id)).toMatchObject({ id: newest.id, eventType: 'target.recovered', status: 'delivered' });
    expect(latest.has(idle.id)).toBe(false);
  });
});

describe('the message of a rule', () => {
  it('is a sample in its name until it sent one; then the latest of its own', async () => {
    const rule = await createAlertRule(
      AlertRuleCreate.parse({ kind: 'down', name: 'Shop down', severity: 'critical' }),
    );
    const sample = await ruleMessage(rule, 'target.down', NOON);
    expect(sample).toMatchObject({ sample: true, payload: { data: { ruleId: rule.id, ruleName: 'Shop down' } } });
    const webhook = await makeWebhook({ name: 'all' });
    const own = await insertIncident({ kind: 'down', at: NOON, targets: [], ruleId: rule.id });
    const foreign = await insertIncident({ kind: 'down', at: NOON, targets: [] });
    await insertDelivery(webhook.id, 'target.down', own, { mine: true });
    await insertDelivery(webhook.id, 'target.down', foreign, { mine: false });
    const real = await ruleMessage(rule, 'target.down', NOON);
    expect(real).toMatchObject({ sample: false, payload: { data: { mine: true } } });
  });

  it('goes to the webhooks that take its kind, its severity and its rule', async () => {
    const rule = await createAlertRule(AlertRuleCreate.parse({ kind: 'down', name: 'x', severity: 'critical' }));
    const names = ['takes', 'other event', 'other severity', 'other rule', 'off'];
    await makeWebhook({ name: 'takes', events: ['target.down'], severities: ['critical'], ruleIds: [rule.id] });
    await makeWebhook({ name: 'other event', events: ['vantage.silent'] });
    await makeWebhook({ name: 'other severity', severities: ['info'] });
    const another = await createAlertRule(AlertRuleCreate.parse({ kind: 'down', name: 'y' }));
    await makeWebhook({ name: 'other rule', ruleIds: [another.id] });
    await makeWebhook({ name: 'off', enabled: false });
    const { webhooks } = await ruleMessage(rule, 'target.down', NOON);
    expect(webhooks.map(({ name }) => name).filter((name) => names.includes(name))).toEqual(['takes']);
  });

  it('is for information where something became faster, whatever the rule says, as what is sent', async () => {
    const rule = await createAlertRule(AlertRuleCreate.parse({ kind: 'detector', name: 'z', severity: 'critical' }));
    await makeWebhook({ name: 'takes information', severities: ['info'], ruleIds: [rule.id] });
    await makeWebhook({ name: 'takes what is critical', severities: ['critical'], ruleIds: [rule.id] });
    const seen = async (event: 'tls.improvement.detected' | 'tls.spike.opened') => {
      const { payload, webhooks } = await ruleMessage(rule, event, NOON);
      return [payload.data.severity, ...webhooks.map(({ name }) => name).filter((name) => name.startsWith('takes '))];
    };
    expect(await seen('tls.improvement.detected')).toEqual(['info', 'takes information']);
    expect(await seen('tls.spike.opened')).toEqual(['critical', 'takes what is critical']);
  });
});
