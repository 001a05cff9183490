import { v7 as uuid } from 'uuid';
import { expect, it } from 'vitest';
import { getPool } from '#server/database/database.ts';
import { getIncident } from '#server/incidents/incidents.ts';
import { RETRY_SECONDS } from '#server/webhooks/outcome.ts';
import { MAX_GROUP } from '#server/webhooks/queue.ts';
import { enqueue, makeEvent, makeWebhook, pump, TestClock } from '../support/deliveries.ts';
import { prepareOutbox } from '../support/outbox.ts';
import type { Reply } from '../support/receiver.ts';

const outbox = prepareOutbox();
const receive = async (answer: () => Reply) => (await outbox.receive(answer)).url;

/** An incident as the detector makes them, as far as the database insists. */
async function makeIncident(): Promise<string> {
  const id = uuid();
  await getPool().query(
    `insert into incident (id, kind, group_key, status, severity, metric, opened_at, onset_at)
     values ($1, 'spike', $2, 'open', 'warning', 'tls', now(), now())`,
    [id, `test ${id}`],
  );
  return id;
}

const timelineOf = async (id: string) => (await getIncident(id)).events.map(({ kind, text }) => [kind, text]);

it('an incident says that its message was delivered, and to whom', async () => {
  const webhook = await makeWebhook({ url: await receive(() => ({})), name: 'Ops' });
  const incidentId = await makeIncident();
  const clock = new TestClock();
  await enqueue([makeEvent({ incidentId })], clock.now());
  await pump(clock);
  const { events } = await getIncident(incidentId);
  expect(events).toMatchObject([
    { kind: 'delivered', text: '', params: { webhookId: webhook.id, webhookName: 'Ops', type: 'tls.spike.opened' } },
  ]);
});

it('an incident says once, after the last attempt, that its message could not be delivered, and why', async () => {
  await makeWebhook({ url: await receive(() => ({ status: 500 })), name: 'Ops' });
  const incidentId = await makeIncident();
  const clock = new TestClock();
  await enqueue([makeEvent({ incidentId })], clock.now());
  for (const pause of RETRY_SECONDS) {
    expect(await timelineOf(incidentId)).toEqual([]);
    clock.forward(pause);
    await pump(clock);
  }
  expect(await timelineOf(incidentId)).toEqual([['delivery_failed', 'Ops: answered 500']]);
  const { events } = await getIncident(incidentId);
  expect(events[0]?.params).toMatchObject({ webhookName: 'Ops', error: 'answered 500', type: 'tls.spike.opened' });
});

it('410 is told to the incident of the message, and to those of the messages that it cancels', async () => {
  await makeWebhook({ url: await receive(() => ({ status: 410 })), name: 'Ops' });
  const incidents = [await makeIncident(), await makeIncident()];
  const clock = new TestClock();
  await enqueue(
    incidents.map((incidentId) => makeEvent({ incidentId })),
    clock.now(),
  );
  await pump(clock);
  expect(await Promise.all(incidents.map(timelineOf))).toEqual([
    [['delivery_failed', 'Ops: answered 410']],
    [['delivery_failed', 'Ops: The receiver answered 410 (gone): it accepts no further messages.']],
  ]);
});

it('a message that cannot be written is told to its incident', async () => {
  const url = await receive(() => ({}));
  await makeWebhook({ url, name: 'Own', format: 'template', template: '{"a": {{data.nothing}}}' });
  const incidentId = await makeIncident();
  const clock = new TestClock();
  await enqueue([makeEvent({ incidentId })], clock.now());
  await pump(clock);
  expect(await timelineOf(incidentId)).toEqual([
    ['delivery_failed', 'Own: {{data.nothing}} names nothing in this message'],
  ]);
});

it('each incident of a burst says that the one message about all was delivered', async () => {
  const receiver = await outbox.receive();
  await makeWebhook({ url: receiver.url, name: 'Ops' });
  const incidents = await Promise.all(Array.from({ length: 20 }, makeIncident));
  expect(incidents.length).toBeLessThan(MAX_GROUP);
  const clock = new TestClock();
  await enqueue(
    incidents.map((incidentId) => makeEvent({ incidentId })),
    clock.now(),
  );
  await pump(clock);
  expect(receiver.received).toHaveLength(1);
  for (const id of incidents) expect(await timelineOf(id)).toEqual([['delivered', '']]);
});
