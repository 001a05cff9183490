import { type DeliveriesQuery, type Delivery, type DeliveryDetail, DeliveryStatus } from '#contract/delivery.ts';
import type { Page } from '#contract/problem.ts';
import { WebhookPayload } from '#contract/webhook-event.ts';
import type { DeliveryAttempt as AttemptRow, Delivery as Row } from '#prisma/generated/client.ts';
import type { Viewer } from '#server/access/secret-settings.ts';
import { getPrisma } from '#server/database/database.ts';
import { pageOfRows, pageRange } from '#server/database/page.ts';
import { ServiceError } from '#server/environment/errors.ts';
import { blank, MASKED } from './masks.ts';
import { messageIdOf } from './message-id.ts';

/** Most attempts that a delivery shows. */
const SHOWN_ATTEMPTS = 100;

/** The messages to a webhook, newest first. Throws `not_found`, and `invalid` for a made-up cursor. */
export async function listDeliveries(webhookId: string, query: DeliveriesQuery): Promise<Page<Delivery>> {
  const webhook = await getPrisma().webhook.findFirst({ where: { id: webhookId, deletedAt: null } });
  if (!webhook) throw unknown('webhook', webhookId);
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
  if (!row) throw unknown('delivery', id);
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

/** `not_found`, naming what there is none of. */
export const unknown = (noun: string, id: string) =>
  new ServiceError('not_found', `There is no ${noun} ${id}.`, [{ field: 'id', message: 'is unknown' }]);
