import type { PoolClient } from 'pg';
import { v7 as uuid } from 'uuid';
import type { WebhookPayload } from '#contract/webhook-event.ts';
import { getPool, inTransaction } from '#server/database/database.ts';
import { type Lease, leaseEnd } from './lease.ts';
import type { Shown } from './masking.ts';
import { cutOffPauseSeconds, MAX_CUT_OFFS, type Outcome, RETRY_SECONDS } from './outcome.ts';
import type { Earlier } from './outgoing.ts';
import { UNFINISHED, type Waiting } from './queue.ts';

/** An attempt that has been noted and may now be made; `number` counts those that were not cut off, this one among them. */
export type Attempt = { id: string; delivery: Waiting; number: number };

/**
 * Notes that an attempt begins, before it does: should this process be killed, the message comes back under its id when the
 * lease ends, or later where that happened often. Null where the endpoint or the message is no longer this process's to send.
 */
export async function beginAttempt(lease: Lease, delivery: Waiting, now: Date): Promise<Attempt | null> {
  return await inTransaction(async (client) => {
    if (!(await renewLease(client, lease, now))) return null;
    const id = uuid();
    const { rows } = await client.query<{ attempts: number }>(
      `update delivery set attempts = attempts + 1, attempt_id = $2, next_at = $4,
         first_attempt_at = coalesce(first_attempt_at, $3)
       where id = $1 and status = 'pending' and next_at <= $3
       returning attempts`,
      [delivery.id, id, now, new Date(now.getTime() + cutOffPauseSeconds(delivery.cutOffs) * 1_000)],
    );
    if (!rows[0]) return null;
    await client.query('insert into delivery_attempt (id, delivery_id, at, error) values ($1, $2, $3, $4)', [
      id,
      delivery.id,
      now,
      UNFINISHED,
    ]);
    return { id, delivery, number: rows[0].attempts - delivery.cutOffs };
  });
}

/** What the receiver calls the thread of an incident's messages: that of the first which it took; null where there is none. */
export async function threadOf(webhookId: string, incidentId: string): Promise<string | null> {
  const { rows } = await getPool().query<{ thread: string }>(
    `select coalesce(d.thread, g.thread) as thread from delivery d left join delivery g on g.id = d.group_id
      where d.webhook_id = $1 and d.incident_id = $2 and coalesce(d.thread, g.thread) is not null
      order by d.sequence limit 1`,
    [webhookId, incidentId],
  );
  return rows[0]?.thread ?? null;
}

/** What the endpoint was sent of the incidents of this message before it; of a burst, its own parts count for what was said first. */
export async function earlierOf(webhookId: string, { id, sequence }: Waiting): Promise<Map<string, Earlier>> {
  const { rows } = await getPool().query<Earlier & { id: string }>(
    `select d.incident_id as id, (array_agg(d.payload->'data' order by d.sequence))[1] as first,
        coalesce(array_agg(distinct d.severity) filter (where coalesce(g.status, d.status) = 'delivered'), '{}') as severities
      from delivery d left join delivery g on g.id = d.group_id
      where d.webhook_id = $1 and (d.sequence < $3 or d.group_id = $2)
        and d.incident_id in (select incident_id from delivery where id = $2 or group_id = $2)
      group by d.incident_id`,
    [webhookId, id, sequence],
  );
  return new Map(rows.map(({ id: incidentId, ...earlier }) => [incidentId, earlier]));
}

async function renewLease(client: PoolClient, lease: Lease, now: Date): Promise<boolean> {
  const { rowCount } = await client.query(
    'update webhook set lease_until = $3 where id = $1 and lease_id = $2 and enabled and deleted_at is null',
    [lease.webhookId, lease.id, leaseEnd(now)],
  );
  return rowCount === 1;
}

/**
 * Its attempts are used up: answered ones, or far more that were cut off. A process that keeps being killed says nothing of the
 * receiver, but a message that kills its sender must not do so for ever.
 */
export const isUsedUp = ({ attempts, cutOffs }: Waiting) =>
  attempts - cutOffs >= RETRY_SECONDS.length || cutOffs >= MAX_CUT_OFFS;

/** Ends such a message; `error` says why. */
export async function failUsedUp(lease: Lease, { id }: Waiting, error: string, now: Date): Promise<void> {
  await inTransaction(async (client) => {
    const { rowCount } = await client.query(
      `update delivery set status = 'failed', next_at = null where id = $1 and status = 'pending'`,
      [id],
    );
    await freeFollowers(client, lease.webhookId, id, now);
    if (rowCount === 1) await noteIncidents(client, { webhookId: lease.webhookId, deliveryIds: [id], error, now });
  });
}

/**
 * Writes down what came of the attempt: the log, the message's state and its thread at the receiver, the message that is to follow it,
 * the endpoint's state.
 */
export async function finishAttempt(
  lease: Lease,
  attempt: Attempt,
  outcome: Outcome & { thread?: string | null; closing?: WebhookPayload | null },
  shown: Shown,
  now: Date,
): Promise<void> {
  await inTransaction(async (client) => {
    await client.query(
      `update delivery_attempt set status = $2, duration_ms = $3, request_headers = $4, request_body = $5,
         response_headers = $6, response_body = $7, error = $8
       where id = $1`,
      [
        attempt.id,
        shown.status,
        shown.durationMs,
        shown.requestHeaders && JSON.stringify(shown.requestHeaders),
        shown.requestBody,
        shown.responseHeaders && JSON.stringify(shown.responseHeaders),
        shown.responseBody,
        outcome.error,
      ],
    );
    // Only the latest attempt decides: this process may have been asleep for longer than its lease.
    const { rowCount } = await client.query(
      `update delivery set status = $3, next_at = $4, thread = $6,
         delivered_at = case when $3 = 'delivered' then $5::timestamptz end
       where id = $1 and attempt_id = $2 and status = 'pending'`,
      [attempt.delivery.id, attempt.id, outcome.status, outcome.nextAt, now, outcome.thread ?? null],
    );
    if (rowCount === 1 && outcome.nextAt === null) {
      const { webhookId } = lease;
      await freeFollowers(client, webhookId, attempt.delivery.id, now);
      await noteIncidents(client, { webhookId, deliveryIds: [attempt.delivery.id], error: outcome.error, now });
      if (outcome.closing)
        await client.query(
          `insert into delivery (id, webhook_id, event_type, severity, payload, next_at, created_at) values ($1, $2, $3, $4, $5, $6, $6)`,
          [uuid(), webhookId, outcome.closing.type, attempt.delivery.severity, JSON.stringify(outcome.closing), now],
        );
    }
    await noteEndpoint(client, lease.webhookId, outcome, now);
  });
}

/** Later messages about the incidents of one that is over are due at once. */
async function freeFollowers(client: PoolClient, webhookId: string, deliveryId: string, now: Date): Promise<void> {
  await client.query(
    `update delivery set next_at = $3
     where webhook_id = $1 and status = 'pending' and attempts = 0 and next_at > $3
       and incident_id in (select incident_id from delivery where (id = $2 or group_id = $2) and incident_id is not null)`,
    [webhookId, deliveryId, now],
  );
}

async function noteEndpoint(client: PoolClient, webhookId: string, outcome: Outcome, now: Date): Promise<void> {
  await client.query(`update webhook set failures = $2, slow_until = $3 where id = $1`, [
    webhookId,
    outcome.failures,
    outcome.slowUntil,
  ]);
  if (outcome.disable === null) return;
  await client.query(
    'update webhook set enabled = false, disabled_reason = $2, updated_at = $3 where id = $1 and enabled',
    [webhookId, outcome.disable, now],
  );
  const { rows } = await client.query<{ id: string }>(
    `update delivery set status = 'cancelled', next_at = null where webhook_id = $1 and status = 'pending' returning id`,
    [webhookId],
  );
  await noteIncidents(client, { webhookId, deliveryIds: rows.map(({ id }) => id), error: outcome.disable, now });
}

/** How it ended: `error` is null where the receiver took the message. */
type End = { webhookId: string; deliveryIds: string[]; error: string | null; now: Date };

/** The incidents that these messages tell of, as parts of a burst too, say in their timelines what came of it. */
export async function noteIncidents(client: PoolClient, { webhookId, deliveryIds, error, now }: End): Promise<void> {
  await client.query(
    `insert into incident_event (id, incident_id, at, kind, text, params)
     select gen_random_uuid(), d.incident_id, $3,
       case when $4::text is null then 'delivered' else 'delivery_failed' end,
       coalesce(w.name || ': ' || $4::text, ''),
       jsonb_strip_nulls(jsonb_build_object('webhookId', w.id, 'webhookName', w.name, 'deliveryId', d.id,
         'type', d.event_type, 'error', $4::text))
     from delivery d join incident i on i.id = d.incident_id join webhook w on w.id = $1
     where d.webhook_id = $1 and (d.id = any($2::uuid[]) or d.group_id = any($2::uuid[]))`,
    [webhookId, deliveryIds, now, error],
  );
}
