import { v7 as uuid } from 'uuid';
import { getPool } from '#server/database/database.ts';

/**
 * How long an endpoint belongs to the process that sends to it, in seconds; renewed before each attempt. When a process is
 * killed its endpoint, and the message that was under way, come back after this long.
 */
export const LEASE_SECONDS = 60;

/** The right to send to an endpoint until the lease ends. */
export type Lease = { webhookId: string; id: string };

export const leaseEnd = (now: Date) => new Date(now.getTime() + LEASE_SECONDS * 1_000);

/** Endpoints that have something due, may be sent to, and are not held; at most 1,000. */
export async function dueWebhooks(now: Date): Promise<string[]> {
  const { rows } = await getPool().query<{ id: string }>(
    `select w.id from webhook w
     where w.enabled and w.deleted_at is null
       and (w.lease_until is null or w.lease_until <= $1) and (w.slow_until is null or w.slow_until <= $1)
       and exists (select from delivery d where d.webhook_id = w.id and d.status = 'pending' and d.next_at <= $1)
     limit 1000`,
    [now],
  );
  return rows.map(({ id }) => id);
}

/** Takes the endpoint for this process; null where another has it, or it may not be sent to now. */
export async function takeLease(webhookId: string, now: Date): Promise<Lease | null> {
  const id = uuid();
  const { rowCount } = await getPool().query(
    `update webhook set lease_id = $2, lease_until = $4
     where id = $1 and enabled and deleted_at is null
       and (lease_until is null or lease_until <= $3) and (slow_until is null or slow_until <= $3)`,
    [webhookId, id, now, leaseEnd(now)],
  );
  return rowCount === 1 ? { webhookId, id } : null;
}

/** Gives the endpoint back, unless another process has taken it since. */
export async function releaseLease({ webhookId, id }: Lease): Promise<void> {
  await getPool().query('update webhook set lease_id = null, lease_until = null where id = $1 and lease_id = $2', [
    webhookId,
    id,
  ]);
}
