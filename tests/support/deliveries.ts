import { v7 as uuid } from 'uuid';
import type { DeliveryDetail } from '#contract/delivery.ts';
import type { Incident } from '#contract/incident.ts';
import { affectedBy } from '#contract/incident-parts.ts';
import { WebhookCreate, type WebhookCreated } from '#contract/webhook.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { type DeliverOptions, deliverTo } from '#server/webhooks/deliver.ts';
import { getDelivery, listDeliveries } from '#server/webhooks/deliveries.ts';
import { enqueueEvents, type WebhookEvent } from '#server/webhooks/enqueue.ts';
import { dueWebhooks } from '#server/webhooks/lease.ts';
import { createWebhook } from '#server/webhooks/webhooks.ts';
import { cellAt } from './incident-of.ts';
import type { Received } from './receiver.ts';

/** Set before the environment is first read: receivers of tests are on loopback. */
export function allowLoopback(): void {
  process.env.ROUNDTRIP_ALLOW_PRIVATE_TARGETS = '1';
  process.env.ROUNDTRIP_SECRET = 'a secret of the tests, and of them alone';
}

/** A webhook as the API would make it. */
export const makeWebhook = (input: Partial<WebhookCreate>): Promise<WebhookCreated> =>
  createWebhook(WebhookCreate.parse(input));

/** An event of an incident of its own, unless told otherwise. */
export function makeEvent(over: Partial<WebhookEvent> = {}, data: Partial<Incident> = {}): WebhookEvent {
  const incidentId = over.incidentId === undefined ? uuid() : over.incidentId;
  const { timestamp = new Date('2026-11-21T08:00:00Z') } = over;
  const { targetName = 'shop.example.org', region = null, carrier = null } = data;
  const place = { targetName, region, carrier, beforeMs: null, afterMs: null };
  const cell = { ...cellAt({ target: 1, region: 'CN-GD', carrier: 'telecom' }), ...place };
  return {
    type: 'tls.spike.opened',
    timestamp,
    ruleId: null,
    severity: 'warning',
    ...over,
    incidentId,
    data: {
      id: incidentId,
      kind: 'spike',
      severity: 'warning',
      targetName,
      metric: 'tls',
      cause: null,
      effectMs: null,
      effectRatio: null,
      failure: null,
      evidence: {},
      onsetAt: timestamp.toISOString(),
      affected: affectedBy([cell], 'tls', []),
      ...data,
      ...over.data,
    },
  };
}

/** Puts events into the outbox in one transaction. */
export async function enqueue(events: WebhookEvent[], now: Date): Promise<void> {
  await getPrisma().$transaction(
    async (tx) => {
      for (const event of events) await enqueueEvents(tx, [event], now);
    },
    { timeout: 30_000 },
  );
}

/** A clock that stands until it is set forward. */
export class TestClock {
  #now: number;
  constructor(start = '2026-11-21T08:00:00Z') {
    this.#now = Date.parse(start);
  }
  /** One that stands at this moment: receivers may compare with the real time. */
  static fromNow(): TestClock {
    return new TestClock(new Date().toISOString());
  }
  readonly now = (): Date => new Date(this.#now);
  forward(seconds: number): void {
    this.#now += seconds * 1_000;
  }
}

/** Sends whatever is due by this clock, to every endpoint, until nothing is. Returns the attempts made. */
export async function pump(clock: TestClock, options: DeliverOptions = {}): Promise<number> {
  let made = 0;
  for (;;) {
    const due = await dueWebhooks(clock.now());
    const counts = await Promise.all(due.map((id) => deliverTo(id, { clock: clock.now, chance: () => 0, ...options })));
    const sum = counts.reduce((total, count) => total + count, 0);
    if (sum === 0) return made;
    made += sum;
  }
}

/** The newest delivery of a webhook, with its attempts, as an editor sees it. */
export async function lastDelivery(webhookId: string): Promise<DeliveryDetail> {
  const { data } = await listDeliveries(webhookId, { limit: 1 });
  return await getDelivery(data[0]?.id ?? '', 'editor');
}

/** The same where it must be the only one. Throws where there are others. */
export async function onlyDelivery(webhookId: string): Promise<DeliveryDetail> {
  const { data } = await listDeliveries(webhookId, { limit: 10 });
  if (data.length !== 1) throw new Error(`the webhook has ${data.length} deliveries, not one`);
  return await lastDelivery(webhookId);
}

/** How many deliveries of a webhook are in each state. */
export async function statesOf(webhookId: string): Promise<Record<string, number>> {
  const { rows } = await getPool().query<{ status: string; n: number }>(
    'select status, count(*)::int as n from delivery where webhook_id = $1 group by status',
    [webhookId],
  );
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
}

/** Takes every webhook out of the way of the next test. */
export async function removeWebhooks(): Promise<void> {
  await getPool().query('delete from webhook');
}

/** The id of a message, and its body's JSON. */
export const idOf = ({ headers }: Received) => String(headers['webhook-id']);
export const bodyOf = ({ body }: Received) => JSON.parse(body);

/** The bodies that came under each `webhook-id`. Throws where one id came with two. */
export function bodiesById(received: Received[]): Map<string, string> {
  const bodies = new Map<string, string>();
  for (const request of received) {
    const { body } = request;
    const id = idOf(request);
    if ((bodies.get(id) ?? body) !== body) throw new Error(`${id} came with two bodies`);
    bodies.set(id, body);
  }
  return bodies;
}

/** The incidents that a standard message tells of, one or those of a burst. */
export function incidentsTold(body: string): string[] {
  const { data } = JSON.parse(body);
  return (data.grouped ?? [{ data }]).map((entry: { data: { id: string } }) => entry.data.id);
}

/** The events that a standard message tells of, one or those of a burst. */
export function eventsTold(request: Received): { key: string; type: string }[] {
  const { type, data } = bodyOf(request);
  const events: { type: string; data: { id: string } }[] = data.grouped ?? [{ type, data }];
  return events.map((event) => ({ key: `${event.data.id} ${event.type}`, type: event.type }));
}
