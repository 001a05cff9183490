import type { PoolClient } from 'pg';
import { getPool, inTransaction } from '../database.ts';
import { BURST_MESSAGES, BURST_SECONDS, groupMessages, MAX_GROUP } from './group.ts';
import type { Lease } from './lease.ts';
import { WAITING, type Waiting } from './waiting.ts';

/** Whether an earlier message about the same incident, or the group it became a part of, is still to be delivered. */
const BLOCKED = `exists (
  select from delivery e left join delivery g on g.id = e.group_id
  where e.webhook_id = d.webhook_id and e.incident_id = d.incident_id and e.sequence < d.sequence
    and coalesce(g.status, e.status) = 'pending')`;

/**
 * The message that goes to the endpoint next, or null: in the order in which they were made, retries among them, but never
 * one whose incident has an earlier message that waits. `groups` says that the format allows one message for a burst.
 */
export async function nextMessage(lease: Lease, now: Date, groups: boolean): Promise<Waiting | null> {
  await postponeBlocked(lease, now);
  if (groups) await inTransaction((client) => settleBurst(client, lease, now));
  const { rows } = await getPool().query<Waiting>(
    `select ${WAITING} from delivery d
     where d.webhook_id = $1 and d.status = 'pending' and d.next_at <= $2 and not ${BLOCKED}
     order by d.sequence limit 1`,
    [lease.webhookId, now],
  );
  return rows[0] ?? null;
}

/** What waits for an earlier message is not due before it, so that nobody looks at it in vain. */
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
 * an endpoint gets at most BURST_MESSAGES in BURST_SECONDS, or as few messages as hold what has piled up.
 */
async function settleBurst(client: PoolClient, lease: Lease, now: Date): Promise<void> {
  const { rows: held } = await client.query('select from webhook where id = $1 and lease_id = $2 for update', [
    lease.webhookId,
    lease.id,
  ]);
  if (held.length === 0) return;
  const since = new Date(now.getTime() - BURST_SECONDS * 1_000);
  const room = BURST_MESSAGES - (await countSince(client, lease.webhookId, since));
  const fresh = await freshMessages(client, lease.webhookId, now);
  const [oldest] = fresh;
  if (!oldest || fresh.length <= room) return;
  const releaseAt = new Date(oldest.createdAt.getTime() + BURST_SECONDS * 1_000);
  if (room === BURST_MESSAGES || releaseAt <= now) await groupMessages(client, lease.webhookId, fresh, now);
  else await postpone(client, fresh, releaseAt);
}

async function countSince(client: PoolClient, webhookId: string, since: Date): Promise<number> {
  const { rows } = await client.query<{ n: number }>(
    'select count(*)::int as n from delivery where webhook_id = $1 and first_attempt_at > $2',
    [webhookId, since],
  );
  return rows[0]?.n ?? 0;
}

/**
 * Messages of events that were never tried; a message that was has its id out in the world and stays as it is, and so do
 * those that must not overtake it.
 */
async function freshMessages(client: PoolClient, webhookId: string, now: Date): Promise<Waiting[]> {
  const { rows } = await client.query<Waiting>(
    `select ${WAITING} from delivery d
     where d.webhook_id = $1 and d.status = 'pending' and d.next_at <= $2 and d.first_attempt_at is null
       and d.event_type <> 'webhook.test' and d.payload->'data'->'grouped' is null
       and not exists (
         select from delivery e left join delivery g on g.id = e.group_id
         where e.webhook_id = d.webhook_id and e.incident_id = d.incident_id and e.sequence < d.sequence
           and (g.status = 'pending' or (e.status = 'pending' and e.first_attempt_at is not null)))
     order by d.sequence limit $3`,
    [webhookId, now, MAX_GROUP],
  );
  return rows;
}

async function postpone(client: PoolClient, waiting: Waiting[], until: Date): Promise<void> {
  await client.query('update delivery set next_at = $2 where id = any($1::uuid[])', [
    waiting.map(({ id }) => id),
    until,
  ]);
}
