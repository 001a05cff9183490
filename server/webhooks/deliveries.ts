import { type DeliveriesQuery, type Delivery, type DeliveryDetail, DeliveryStatus } from '#contract/delivery.ts';
import type { Page } from '#contract/problem.ts';
import { WebhookPayload } from '#contract/webhook-event.ts';
import type { DeliveryAttempt as AttemptRow, Delivery as Row } from '#prisma/generated/client.ts';
import type { Viewer } from '#server/access/secret-settings.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { pageOfRows, pageRange } from '#server/database/page.ts';
import { readRetentionDays } from '#server/database/retention.ts';
import { notFound, ServiceError } from '#server/environment/errors.ts';
import { enqueueFor, messageIdOf } from './enqueue.ts';
import { blank, MASKED } from './masking.ts';
import { samplePayload } from './sample-payloads.ts';
import { webhookRow } from './webhooks.ts';

/** Most attempts that a delivery shows. */
const SHOWN_ATTEMPTS = 100;

/** The messages to a webhook, newest first. Throws `not_found`, and `invalid` for a made-up cursor. */
export async function listDeliveries(webhookId: string, query: DeliveriesQuery): Promise<Page<Delivery>> {
  await webhookRow(webhookId);
  const { take, after } = pageRange(query);
  const rows = await getPrisma().delivery.findMany({
    where: { webhookId, id: { lt: after }, ...(query.status && { status: query.status }) },
    orderBy: { id: 'desc' },
    take,
  });
  return pageOfRows(rows, query, presentDelivery);
}

/** The messages about an incident, newest first, at most 100; `webhookName` says to whom. */
export async function deliveriesOfIncident(incidentId: string): Promise<(Delivery & { webhookName: string })[]> {
  const rows = await getPrisma().delivery.findMany({
    where: { incidentId },
    orderBy: { id: 'desc' },
    take: SHOWN_ATTEMPTS,
    include: { webhook: { select: { name: true } } },
  });
  return rows.map((row) => ({ ...presentDelivery(row), webhookName: row.webhook.name }));
}

/** A message with its attempts; of these a mere reader sees neither headers nor bodies. Throws `not_found`. */
export async function getDelivery(id: string, viewer: Viewer = 'reader'): Promise<DeliveryDetail> {
  const row = await getPrisma().delivery.findUnique({
    where: { id },
    include: { log: { orderBy: [{ at: 'desc' }, { id: 'desc' }], take: SHOWN_ATTEMPTS } },
  });
  if (!row) throw notFound('delivery', id);
  const log = row.log.map(presentAttempt);
  const payload = WebhookPayload.parse(row.payload);
  return { ...presentDelivery(row), payload, log: viewer === 'reader' ? log.map(blankAttempt) : log };
}

/** A row of the outbox as the API shows it. */
export function presentDelivery(row: Row): Delivery {
  return {
    id: row.id,
    messageId: messageIdOf(row.id),
    webhookId: row.webhookId,
    incidentId: row.incidentId,
    eventType: row.eventType,
    status: DeliveryStatus.parse(row.status),
    attempts: row.attempts,
    nextAt: row.nextAt?.toISOString() ?? null,
    groupId: row.groupId,
    createdAt: row.createdAt.toISOString(),
    deliveredAt: row.deliveredAt?.toISOString() ?? null,
  };
}

function presentAttempt(row: AttemptRow): DeliveryDetail['log'][number] {
  return {
    id: row.id,
    at: row.at.toISOString(),
    status: row.status,
    durationMs: row.durationMs,
    requestHeaders: row.requestHeaders as Record<string, string> | null,
    requestBody: row.requestBody,
    responseHeaders: row.responseHeaders as Record<string, string> | null,
    responseBody: row.responseBody,
    error: row.error,
  };
}

/** Also a receiver's answer may repeat what it was sent. */
function blankAttempt(attempt: DeliveryDetail['log'][number]): DeliveryDetail['log'][number] {
  const { requestHeaders, requestBody, responseHeaders, responseBody } = attempt;
  return {
    ...attempt,
    requestHeaders: requestHeaders && blank(requestHeaders),
    requestBody: requestBody && MASKED,
    responseHeaders: responseHeaders && blank(responseHeaders),
    responseBody: responseBody && MASKED,
  };
}

/** The newest message to each webhook, by the webhook's id; a webhook that was sent nothing has none. */
export async function latestDeliveries(): Promise<Map<string, Delivery>> {
  const { rows } = await getPool().query<{ id: string }>(
    `select latest.id
       from webhook w
      cross join lateral (select id from delivery where webhook_id = w.id order by id desc limit 1) latest
      where w.deleted_at is null`,
  );
  const deliveries = await getPrisma().delivery.findMany({ where: { id: { in: rows.map(({ id }) => id) } } });
  return new Map(deliveries.map((row) => [row.webhookId, presentDelivery(row)]));
}

/** Messages that are still to be sent, how old the oldest is (s), and by status those made within the last hour. */
type Outbox = { messages: number; ageSeconds: number; lastHour: ReadonlyMap<string, number> };

export async function readOutbox(): Promise<Outbox> {
  const { rows } = await getPool().query<{ status: string; n: number; recent: number; age: number }>(
    `select status, count(*)::int as n, (count(*) filter (where created_at > now() - interval '1 hour'))::int as recent,
        extract(epoch from now() - min(created_at))::float8 as age
      from delivery where status = 'pending' or created_at > now() - interval '1 hour' group by status`,
  );
  const pending = rows.find(({ status }) => status === 'pending');
  const lastHour = new Map(rows.map(({ status, recent }) => [status, recent]));
  return { messages: pending?.n ?? 0, ageSeconds: pending?.age ?? 0, lastHour };
}

/**
 * Sends a message that is over again, under its own id. Throws `not_found`, or `conflict` where it is not over, is a part of
 * another message, or its endpoint takes none.
 */
export async function replayDelivery(id: string, now = new Date()): Promise<Delivery> {
  const before = await getPrisma().delivery.findUnique({ where: { id }, include: { webhook: true } });
  if (!before) throw notFound('delivery', id);
  const { webhook, groupId } = before;
  if (before.status === 'grouped') throw conflict(`It went out as a part of delivery ${groupId}: replay that.`);
  if (before.status === 'pending') throw conflict('It is on its way.');
  refuseUnsendable(webhook);
  // Of two at once only one finds it over.
  const { count } = await getPrisma().delivery.updateMany({
    where: { id, status: before.status },
    data: { status: 'pending', attempts: 0, nextAt: now, deliveredAt: null },
  });
  if (count === 0) throw conflict('It is on its way.');
  const row = await getPrisma().delivery.findUniqueOrThrow({ where: { id } });
  return presentDelivery(row);
}

/** Puts a `webhook.test` into the outbox. Throws `not_found`, or `conflict` for a disabled webhook. */
export async function testWebhook(webhookId: string, now = new Date()): Promise<Delivery> {
  return await getPrisma().$transaction(async (tx) => {
    const webhook = await webhookRow(webhookId, tx);
    refuseUnsendable(webhook);
    const { data } = samplePayload('webhook.test', now);
    const event = {
      type: 'webhook.test',
      timestamp: now,
      incidentId: null,
      ruleId: null,
      severity: 'info',
      data,
    } as const;
    const id = await enqueueFor(tx, webhookId, event, now);
    return presentDelivery(await tx.delivery.findUniqueOrThrow({ where: { id } }));
  });
}

function refuseUnsendable(webhook: { enabled: boolean; deletedAt: Date | null }): void {
  if (webhook.deletedAt) throw conflict('Its webhook was removed.');
  if (!webhook.enabled) throw conflict('Its webhook is disabled: enable it first.');
}

const conflict = (message: string) => new ServiceError('conflict', message);

/** Most rows of one go; the rest is for the next. */
const BATCH = 10_000;

/** Deletes messages that are over and past their retention, with their attempts, but for those of incidents that go on. Returns how many. */
export async function dropOldDeliveries(now = new Date()): Promise<number> {
  const { deliveryDays } = await readRetentionDays();
  const { rowCount } = await getPool().query(
    `delete from delivery where id in (
       select d.id from delivery d where d.status <> 'pending' and d.created_at < $1
         and not exists (select from incident i where i.id = d.incident_id and i.status <> 'resolved') limit $2)`,
    [new Date(now.getTime() - deliveryDays * 86_400_000), BATCH],
  );
  return rowCount ?? 0;
}
