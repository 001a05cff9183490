import type { PoolClient } from 'pg';
import { v7 as uuid } from 'uuid';
import { SEVERITIES } from '#contract/incident.ts';
import { MAX_PAYLOAD_BYTES, type WebhookPayload } from '#contract/webhook-event.ts';
import { environment } from '#server/environment/environment.ts';
import { messageIdOf } from './message-id.ts';
import { sizeOf } from './payload.ts';
import type { Waiting } from './waiting.ts';

/** New messages that one endpoint gets one by one within BURST_SECONDS; more than these are a burst. */
export const BURST_MESSAGES = 10;
/** The longest that a new message waits for others of its burst, in seconds. */
export const BURST_SECONDS = 10;
/** Most events in one message. */
export const MAX_GROUP = 100;

/** What an event of a burst tells of its incident; the rest is at `link`. */
const ENTRY_FIELDS = [
  'id',
  'kind',
  'status',
  'resolution',
  'severity',
  'metric',
  'targetId',
  'targetName',
  'carrier',
  'region',
  'cause',
  'openedAt',
  'onsetAt',
  'resolvedAt',
  'effectMs',
  'effectRatio',
  'failure',
  'summary',
  'link',
  'demo',
] as const;

/**
 * Makes one message of the first of these that fit into one, and marks them as its parts; one alone stays as it is. The
 * group takes the place of its first part in the order.
 */
export async function groupMessages(
  client: PoolClient,
  webhookId: string,
  waiting: Waiting[],
  now: Date,
): Promise<void> {
  const parts = waiting.slice(0, fittingParts(waiting));
  const [first] = parts;
  if (!first || parts.length < 2) return;
  const id = uuid();
  const payload = groupPayload(parts);
  await client.query(
    `insert into delivery (id, webhook_id, event_type, severity, payload, next_at, sequence, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $6)`,
    [id, webhookId, payload.type, worst(parts), JSON.stringify(payload), now, first.sequence],
  );
  await client.query(
    `update delivery set status = 'grouped', next_at = null, group_id = $2 where id = any($1::uuid[])`,
    [parts.map((part) => part.id), id],
  );
}

/**
 * `{type, timestamp, data: {grouped, groupedCount, severity, demo, link}}`: type and timestamp are those of the first event. The
 * link, to all incidents, is there where it is known under which name we are reached.
 */
export function groupPayload(parts: Pick<Waiting, 'id' | 'incidentId' | 'payload' | 'severity'>[]): WebhookPayload {
  const [first] = parts;
  if (!first) throw new Error('a group needs a message');
  const { type, timestamp } = first.payload;
  const demo = parts.every(({ payload }) => payload.data.demo === true);
  const grouped = parts.map(entryOf);
  const base = environment().ROUNDTRIP_PUBLIC_URL;
  const link = base ? { link: new URL('/incidents', base).href } : {};
  return { type, timestamp, data: { grouped, groupedCount: grouped.length, severity: worst(parts), demo, ...link } };
}

function entryOf({ id, incidentId, payload }: Pick<Waiting, 'id' | 'incidentId' | 'payload'>) {
  const { type, timestamp, data } = payload;
  const told = Object.fromEntries(ENTRY_FIELDS.flatMap((field) => (field in data ? [[field, data[field]]] : [])));
  return { id: messageIdOf(id), type, timestamp, incidentId, data: told };
}

/** How many of them, from the first, make a message that is not too long. */
function fittingParts(waiting: Waiting[]): number {
  let bytes = 1_000;
  const tooMany = waiting.findIndex((part) => {
    bytes += sizeOf(entryOf(part)) + 1;
    return bytes >= MAX_PAYLOAD_BYTES;
  });
  return tooMany < 0 ? waiting.length : tooMany;
}

function worst(parts: { severity: string }[]): string {
  const present = new Set(parts.map(({ severity }) => severity));
  return SEVERITIES.toReversed().find((severity) => present.has(severity)) ?? 'info';
}
