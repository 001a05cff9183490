import { v7 as uuid } from 'uuid';
import type { Severity } from '#contract/incident.ts';
import type { WebhookEventType, WebhookPayload } from '#contract/webhook-event.ts';
import type { Prisma } from '#prisma/generated/client.ts';
import { environment } from '#server/environment/environment.ts';
import { fitPayload } from './payload.ts';

/**
 * Something that endpoints are to be told. `data` is plain JSON and becomes the message's `data` as it is, but for lists
 * that would make it too long. `demo` marks what the demo network made: the demo's own endpoints hear of nothing else.
 */
export type WebhookEvent = {
  type: WebhookEventType;
  timestamp: Date;
  incidentId: string | null;
  ruleId: string | null;
  severity: Severity;
  data: Record<string, unknown>;
  demo?: boolean;
};

/**
 * Puts a message for every enabled webhook that wants one of these events into the outbox, in their order. It is part of the
 * caller's transaction: the change and its messages are committed together or not at all. Messages about one incident go out
 * in the order in which they are put here, so hold the incident's row locked. `now` is when they may be sent. Two statements,
 * however many events they are.
 */
export async function enqueueEvents(
  db: Prisma.TransactionClient,
  events: readonly WebhookEvent[],
  now: Date = new Date(),
): Promise<void> {
  const webhooks = await db.webhook.findMany({
    where: { deletedAt: null, enabled: true },
    select: { id: true, events: true, severities: true, ruleIds: true, demo: true },
    orderBy: { id: 'asc' },
  });
  const data = events.flatMap((event) => {
    const listeners = webhooks.filter((webhook) => wants(webhook, event));
    if (listeners.length === 0) return [];
    const payload = payloadOf(event);
    return listeners.map(({ id }) => deliveryRow(id, event, payload, now));
  });
  if (data.length > 0) await db.delivery.createMany({ data });
}

/** Puts one message for one webhook into the outbox, whatever that asks for; answers the delivery's id. */
export async function enqueueFor(
  db: Prisma.TransactionClient,
  webhookId: string,
  event: WebhookEvent,
  now: Date = new Date(),
): Promise<string> {
  const data = deliveryRow(webhookId, event, payloadOf(event), now);
  await db.delivery.create({ data });
  return data.id;
}

type Listener = { events: string[]; severities: string[]; ruleIds: string[]; demo: boolean };

/** A filter that is empty takes all. What no rule made goes to every endpoint. */
function wants(webhook: Listener, { type, severity, ruleId, demo = false }: WebhookEvent): boolean {
  const takes = (filter: string[], value: string) => filter.length === 0 || filter.includes(value);
  return (
    takes(webhook.events, type) &&
    takes(webhook.severities, severity) &&
    (ruleId === null || takes(webhook.ruleIds, ruleId)) &&
    (demo || !webhook.demo)
  );
}

function payloadOf({ type, timestamp, data }: WebhookEvent): WebhookPayload {
  // Through JSON once, so that dates and absent fields are what the receiver will read.
  const plain = JSON.parse(JSON.stringify(data)) as Record<string, unknown>;
  return fitPayload({ type, timestamp: timestamp.toISOString(), data: withLink(plain) });
}

/** A path of ours (`url`) becomes a `link` that can be followed from afar, where it is known under which name we are reached. */
function withLink(data: Record<string, unknown>): Record<string, unknown> {
  const base = environment().ROUNDTRIP_PUBLIC_URL;
  if (!base || typeof data.url !== 'string' || !data.url.startsWith('/')) return data;
  return { ...data, link: new URL(data.url, base).href };
}

function deliveryRow(webhookId: string, event: WebhookEvent, payload: WebhookPayload, now: Date) {
  return {
    id: uuid(),
    webhookId,
    incidentId: event.incidentId,
    eventType: event.type,
    severity: event.severity,
    payload: payload as Prisma.InputJsonObject,
    nextAt: now,
    createdAt: now,
  };
}
