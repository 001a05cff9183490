import type { PoolClient } from 'pg';
import { v7 as uuid } from 'uuid';
import { SEVERITIES } from '#contract/incident-vocabulary.ts';
import { MAX_PAYLOAD_BYTES, type WebhookPayload } from '#contract/webhook-event.ts';
import { getPool, inTransaction } from '#server/database/database.ts';
import { environment } from '#server/environment/environment.ts';
import { messageIdOf, sizeOf } from './enqueue.ts';
import type { Lease } from './lease.ts';
import type { Format } from './outgoing.ts';

/** Whether an earlier message about the same incident, or the group it became a part of, is still to be delivered. */
const BLOCKED = `exists (
  select from delivery e left join delivery g on g.id = e.group_id
  where e.webhook_id = d.webhook_id and e.incident_id = d.incident_id and e.sequence < d.sequence
    and coalesce(g.status, e.status) = 'pending')`;

/** What never becomes a part of another message: what was tried, tests, and what others are part of. */
const SINGLE = `(d.first_attempt_at is not null or d.event_type = 'webhook.test'
  or d.payload->'data'->'grouped' is not null)`;

/**
 * Messages of events that were never tried, due or waiting for the end of a burst; a message that was tried has its id out in
 * the world and stays as it is, and so do those that must not overtake it.
 */
const FRESH = `d.webhook_id = $1 and d.status = 'pending'
  and not ${SINGLE}
  and not exists (
    select from delivery e left join delivery g on g.id = e.group_id
    where e.webhook_id = d.webhook_id and e.incident_id = d.incident_id and e.sequence < d.sequence
      and (g.status = 'pending' or (e.status = 'pending' and e.first_attempt_at is not null)))`;

type Grouping = Pick<Format, 'groups' | 'burst'>;

/**
 * The message that goes to the endpoint next, or null: in the order in which they were made, retries among them, but never
 * one whose incident has an earlier message that waits. The format says whether a burst may become one message, and how many
 * go out before it is one.
 */
export async function nextMessage(lease: Lease, now: Date, { groups, burst }: Grouping): Promise<Waiting | null> {
  await postponeBlocked(lease, now);
  if (groups) await inTransaction((client) => settleBurst(client, lease, { now, allowed: burst ?? BURST_MESSAGES }));
  // What came since the burst was settled must not overtake what waits for its end.
  const { rows } = await getPool().query<Waiting>(
    `with held as (select min(d.sequence) as first from delivery d where ${FRESH} and d.next_at > $2)
     select ${WAITING} from delivery d left join held on true
     where d.webhook_id = $1 and d.status = 'pending' and d.next_at <= $2 and not ${BLOCKED}
       and (${SINGLE} or held.first is null or d.sequence < held.first)
     order by d.sequence limit 1`,
    [lease.webhookId, now],
  );
  return rows[0] ?? null;
}

/** What waits for an earlier message is not due before it, so that no process looks at it in vain. */
async function postponeBlocked({ webhookId }: Lease, now: Date): Promise<void> {
  await getPool().query(
    `update delivery d set next_at = b.next_at
     from (
       select d.id, (
         select min(coalesce(g.next_at, e.next_at)) from delivery e left join delivery g on g.id = e.group_id
         where e.webhook_id = d.webhook_id and e.incident_id = d.incident_id and e.sequence < d.sequence
           and coalesce(g.status, e.status) = 'pending') as next_at
       from delivery d
       where d.webhook_id = $1 and d.status = 'pending' and d.next_at <= $2 and d.incident_id is not null
     ) b
     where b.id = d.id and b.next_at > $2`,
    [webhookId, now],
  );
}

/**
 * Lets a few new messages through one by one. Beyond them the rest of a burst waits for its end, and becomes one message: so
 * an endpoint gets at most so many in BURST_SECONDS, or as few messages as hold what has piled up. None overtakes
 * another: what comes while others wait waits with them, and goes with them.
 */
async function settleBurst(
  client: PoolClient,
  { webhookId, id }: Lease,
  { now, allowed }: { now: Date; allowed: number },
): Promise<void> {
  const { rows: held } = await client.query('select from webhook where id = $1 and lease_id = $2 for update', [
    webhookId,
    id,
  ]);
  if (held.length === 0) return;
  const since = new Date(now.getTime() - BURST_SECONDS * 1_000);
  const room = allowed - (await countSince(client, webhookId, since));
  const fresh = await freshMessages(client, webhookId);
  const [oldest] = fresh;
  if (!oldest) return;
  const releaseAt = new Date(oldest.createdAt.getTime() + BURST_SECONDS * 1_000);
  if (fresh.length <= room) await setDue(client, webhookId, now);
  else if (room === allowed || releaseAt <= now) await groupMessages(client, webhookId, fresh, now);
  else await setDue(client, webhookId, releaseAt);
}

async function countSince(client: PoolClient, webhookId: string, since: Date): Promise<number> {
  const { rows } = await client.query<{ n: number }>(
    'select count(*)::int as n from delivery where webhook_id = $1 and first_attempt_at > $2',
    [webhookId, since],
  );
  return rows[0]?.n ?? 0;
}

async function freshMessages(client: PoolClient, webhookId: string): Promise<Waiting[]> {
  const { rows } = await client.query<Waiting>(
    `select ${WAITING} from delivery d where ${FRESH} order by d.sequence limit $2`,
    [webhookId, MAX_GROUP],
  );
  return rows;
}

/** All that is fresh, and not only as much as makes one message, is due then. */
async function setDue(client: PoolClient, webhookId: string, at: Date): Promise<void> {
  await client.query(`update delivery d set next_at = $2 where ${FRESH} and d.next_at <> $2`, [webhookId, at]);
}

/** A message of the outbox as the sender needs it. */
export type Waiting = {
  id: string;
  incidentId: string | null;
  payload: WebhookPayload;
  severity: string;
  attempts: number;
  /** Those of the attempts that were cut off: their process ended before it wrote down what came of them. */
  cutOffs: number;
  sequence: string;
  createdAt: Date;
};

/** What the log says of an attempt until there is more to say. */
export const UNFINISHED = 'the sending process ended before there was an answer';

/** The columns of `delivery d` that make one. Attempts from before a replay do not count. */
export const WAITING = `d.id, d.incident_id as "incidentId", d.payload, d.severity, d.attempts, d.sequence,
  d.created_at as "createdAt",
  (select count(*)::int from (
     select a.error from delivery_attempt a where a.delivery_id = d.id order by a.at desc, a.id desc limit d.attempts
   ) latest where latest.error = '${UNFINISHED}') as "cutOffs"`;

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
  'subCause',
  'openedAt',
  'onsetAt',
  'resolvedAt',
  'effectMs',
  'effectRatio',
  'affected',
  'evidence',
  'failure',
  'mergedInto',
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
