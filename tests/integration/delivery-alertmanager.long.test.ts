import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Alertmanager, findAlertmanager, startAlertmanager } from '../support/alertmanager.ts';
import { enqueue, makeEvent, makeWebhook, pump, statesOf, TestClock } from '../support/deliveries.ts';
import { CLOCK_IS_SET } from '../support/instants.ts';
import { prepareOutbox } from '../support/outbox.ts';

const BUILD_MS = 900_000;

prepareOutbox();
let alertmanager: Alertmanager | string;
beforeAll(async () => {
  const found = CLOCK_IS_SET ? 'a Go program, which a set clock does not reach' : await findAlertmanager();
  alertmanager = typeof found === 'string' ? found : await startAlertmanager(found.file);
}, BUILD_MS);
afterAll(async () => {
  if (typeof alertmanager !== 'string') await alertmanager.stop();
});

type Alert = { labels: Record<string, string>; annotations: Record<string, string>; endsAt: string };

it('Alertmanager itself takes an incident as one alert, and its end as the end of that alert', async (context) => {
  if (typeof alertmanager === 'string') return context.skip(alertmanager);
  const { url } = alertmanager;
  const alerts = async (): Promise<Alert[]> => await (await fetch(`${url}/api/v2/alerts`)).json();
  const settings = { email: null, contentType: 'application/json', labels: { team: 'edge' } };
  const webhook = await makeWebhook({ format: 'alertmanager', url, settings });
  const clock = TestClock.fromNow();
  const incidentId = uuid();
  const openedAt = clock.now().toISOString();
  await enqueue([makeEvent({ incidentId }, { openedAt }), makeEvent()], clock.now());
  await pump(clock);
  expect(await statesOf(webhook.id)).toEqual({ delivered: 2 });
  const ours = (alert: Alert) => alert.labels.incident === incidentId;
  expect((await alerts()).filter(ours)).toMatchObject([
    {
      labels: { alertname: 'RoundtripSpike', team: 'edge', service: 'roundtrip' },
      annotations: { severity: 'warning', target: 'shop.example.org' },
    },
  ]);
  const resolvedAt = new Date(clock.now().getTime() - 1).toISOString();
  await enqueue([makeEvent({ incidentId, type: 'tls.spike.resolved' }, { openedAt, resolvedAt })], clock.now());
  await pump(clock);
  expect(await statesOf(webhook.id)).toEqual({ delivered: 3 });
  expect((await alerts()).filter(ours)).toEqual([]);
  expect(await alerts()).toHaveLength(1);
});

it('Alertmanager has one alert at a time of an incident that rises, is explained otherwise and is accepted', async (context) => {
  if (typeof alertmanager === 'string') return context.skip(alertmanager);
  const { url } = alertmanager;
  await makeWebhook({ format: 'alertmanager', url });
  const clock = TestClock.fromNow();
  clock.forward(-60);
  const incidentId = uuid();
  const openedAt = clock.now().toISOString();
  const steps = [
    { type: 'tls.spike.opened', severity: 'warning', data: { cause: 'network', carrier: 'telecom', region: 'CN-GD' } },
    { type: 'tls.spike.updated', severity: 'warning', data: { cause: 'server', carrier: null, region: null } },
    { type: 'tls.spike.updated', severity: 'critical', data: { cause: 'server', targetName: 'renamed' } },
    { type: 'tls.spike.updated', severity: 'critical', data: { cause: 'network' } },
    { type: 'tls.regression.accepted', severity: 'critical', data: { kind: 'regression', cause: 'server' } },
  ] as const;
  const seen: (string | undefined)[][] = [];
  for (const { type, severity, data } of steps) {
    clock.forward(10);
    await enqueue(
      [{ ...makeEvent({ incidentId, type, severity, timestamp: clock.now(), data: { openedAt, severity, ...data } }) }],
      clock.now(),
    );
    await pump(clock);
    const alerts: Alert[] = await (await fetch(`${url}/api/v2/alerts`)).json();
    const ours = alerts.filter(({ labels }) => labels.incident === incidentId);
    for (const { labels } of ours)
      expect(labels).toMatchObject({
        ...{ alertname: 'RoundtripSpike', service: 'roundtrip', target: 'shop.example.org', cause: 'network' },
        ...{ carrier: 'telecom', region: 'CN-GD' },
      });
    seen.push(ours.map(({ labels, annotations }) => `${labels.severity}, ${annotations.cause}`));
  }
  expect(seen).toEqual([['warning, network'], ['warning, server'], ['critical, server'], ['critical, network'], []]);
});

it('takes a burst as one request with an alert for each event', async (context) => {
  if (typeof alertmanager === 'string') return context.skip(alertmanager);
  const { url } = alertmanager;
  const before: Alert[] = await (await fetch(`${url}/api/v2/alerts`)).json();
  const webhook = await makeWebhook({ format: 'alertmanager', url: `${url}/api/v2/alerts` });
  const clock = TestClock.fromNow();
  await enqueue(
    Array.from({ length: 20 }, () => makeEvent()),
    clock.now(),
  );
  await pump(clock);
  expect(await statesOf(webhook.id)).toEqual({ grouped: 20, delivered: 1 });
  const after: Alert[] = await (await fetch(`${url}/api/v2/alerts`)).json();
  expect(after.length - before.length).toBeGreaterThanOrEqual(20);
});
