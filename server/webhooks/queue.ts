import type { PoolClient } from 'pg';
import { getPool, inTransaction } from '#server/database/database.ts';
import { BURST_MESSAGES, BURST_SECONDS, groupMessages, MAX_GROUP } from './group.ts';
import type { Lease } from './lease.ts';
import type { Format } from './outgoing.ts';
import { WAITING, type Waiting } from './waiting.ts';

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
