import { v7 as uuid } from 'uuid';
import { endTypeOf, isEndType, type Severity } from '#contract/incident-vocabulary.ts';
import { Language } from '#contract/language.ts';
import { takes } from '#contract/scope.ts';
import { MAX_PAYLOAD_BYTES, type WebhookEventType, type WebhookPayload } from '#contract/webhook-event.ts';
import type { Prisma } from '#prisma/generated/client.ts';
import { environment } from '#server/environment/environment.ts';
import { summaryOf } from './text.ts';

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
 * however many events they are (three where one says that an incident is over).
 */
export async function enqueueEvents(
  db: Prisma.TransactionClient,
  events: readonly WebhookEvent[],
  now: Date = new Date(),
): Promise<void> {
  const webhooks = await db.webhook.findMany({
    where: { deletedAt: null, enabled: true },
    select: { id: true, language: true, events: true, severities: true, ruleIds: true, demo: true },
    orderBy: { id: 'asc' },
  });
  const told = await lastTold(db, events);
  const data = events.flatMap((event) => {
    const listeners = webhooks.filter((webhook) => wants(webhook, event) || isOwedEnd(webhook, event, told));
    if (listeners.length === 0) return [];
    const payloads = new Map(listeners.map(({ language }) => [language, payloadOf(event, Language.parse(language))]));
    return listeners.flatMap(({ id, language }) => {
      const payload = payloads.get(language);
      return payload ? [deliveryRow(id, event, payload, now)] : [];
    });
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
  const data = deliveryRow(webhookId, event, payloadOf(event, 'en'), now);
  await db.delivery.create({ data });
  return data.id;
}

type Listener = { events: string[]; severities: string[]; ruleIds: string[]; demo: boolean };

/** A filter that is empty takes all. What no rule made goes to every endpoint. */
function wants(webhook: Listener, { type, severity, ruleId, demo = false }: WebhookEvent): boolean {
  return (
    takes(webhook.events, type) &&
    takes(webhook.severities, severity) &&
    (ruleId === null || takes(webhook.ruleIds, ruleId)) &&
    (demo || !webhook.demo)
  );
}

/** What each webhook was told last of the incidents that are over, by `toldKey`. */
async function lastTold(
  db: Prisma.TransactionClient,
  events: readonly WebhookEvent[],
): Promise<ReadonlyMap<string, string>> {
  const over = events.flatMap(({ type, incidentId }) => (isEndType(type) && incidentId ? [incidentId] : []));
  if (over.length === 0) return new Map();
  const rows = await db.delivery.findMany({
    where: { incidentId: { in: over } },
    select: { webhookId: true, incidentId: true, eventType: true },
    orderBy: { sequence: 'asc' },
  });
  return new Map(rows.map(({ webhookId, incidentId, eventType }) => [toldKey(webhookId, incidentId), eventType]));
}

const toldKey = (webhookId: string, incidentId: string | null) => `${webhookId} ${incidentId}`;

/** An incident may have become another rule's, graver or of another kind: who was told of it, and hears ends of that, hears that it is over. */
function isOwedEnd(
  { id, events }: Listener & { id: string },
  { type, incidentId }: WebhookEvent,
  told: ReadonlyMap<string, string>,
): boolean {
  const end = isEndType(type) ? endTypeOf(told.get(toldKey(id, incidentId)) ?? '') : null;
  return end !== null && takes(events, end);
}

/** Of an incident or a comparison `data.summary` says in this language what happened; it is made before lists are cut. */
function payloadOf({ type, timestamp, data }: WebhookEvent, language: Language): WebhookPayload {
  // Through JSON once, so that dates and absent fields are what the receiver will read.
  const plain = JSON.parse(JSON.stringify(data)) as Record<string, unknown>;
  const payload = { type, timestamp: timestamp.toISOString(), data: withLink(plain) };
  if ('affected' in plain || type === 'comparison.ready') payload.data.summary = summaryOf(payload, language);
  return fitPayload(payload);
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

/** The header `webhook-id` of a delivery: the same in every attempt and replay. */
export const messageIdOf = (deliveryId: string) => `msg_${deliveryId.replaceAll('-', '')}`;

/**
 * The payload in fewer bytes than a message may have. Lists are cut, the longest first, and what was left out is counted
 * beside them: `cells` of 900 become the first of them and `cellsOmitted`. Texts are cut only where that is not enough.
 */
export function fitPayload(payload: WebhookPayload, maxBytes = MAX_PAYLOAD_BYTES): WebhookPayload {
  const fitted = structuredClone(payload);
  while (sizeOf(fitted) >= maxBytes && halveLongestList(fitted.data)) {
    // Each turn halves one list, so this ends.
  }
  while (sizeOf(fitted) >= maxBytes && halveLongestText(fitted.data)) {
    // Each turn halves one text, down to a few characters.
  }
  return fitted;
}

/** Bytes of the JSON in UTF-8. */
export const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

type FieldRef = { owner: Record<string, unknown>; key: string; size: number };

function halveLongestList(data: Record<string, unknown>): boolean {
  const place = longest(data, (value) => (Array.isArray(value) && value.length > 0 ? sizeOf(value) : 0));
  if (!place) return false;
  const list = place.owner[place.key] as unknown[];
  const kept = Math.floor(list.length / 2);
  const omitted = `${place.key}Omitted`;
  const before = place.owner[omitted];
  place.owner[place.key] = list.slice(0, kept);
  place.owner[omitted] = list.length - kept + (typeof before === 'number' ? before : 0);
  return true;
}

const SHORTEST_CUT = 40;

function halveLongestText(data: Record<string, unknown>): boolean {
  const place = longest(data, (value) => (typeof value === 'string' && value.length > SHORTEST_CUT ? value.length : 0));
  if (!place) return false;
  const text = place.owner[place.key] as string;
  place.owner[place.key] = `${text.slice(0, Math.floor(text.length / 2)).toWellFormed()}…`;
  return true;
}

/** The field of the object, or of one inside it, that `measure` finds largest; lists inside lists go with their list. */
function longest(owner: Record<string, unknown>, measure: (value: unknown) => number): FieldRef | null {
  let found: FieldRef | null = null;
  for (const [key, value] of Object.entries(owner)) {
    const size = measure(value);
    if (size > (found?.size ?? 0)) found = { owner, key, size };
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
    const inner = longest(value as Record<string, unknown>, measure);
    if (inner && inner.size > (found?.size ?? 0)) found = inner;
  }
  return found;
}
