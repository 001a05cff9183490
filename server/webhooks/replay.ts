import type { Delivery } from '#contract/delivery.ts';
import { getPrisma } from '#server/database/database.ts';
import { ServiceError } from '#server/environment/errors.ts';
import { enqueueFor } from './enqueue.ts';
import { presentDelivery, unknown } from './list.ts';
import { samplePayload } from './samples.ts';

/**
 * Sends a message that is over again, under its own id. Throws `not_found`, or `conflict` where it is not over, is a part of
 * another message, or its endpoint takes none.
 */
export async function replayDelivery(id: string, now = new Date()): Promise<Delivery> {
  const before = await getPrisma().delivery.findUnique({ where: { id }, include: { webhook: true } });
  if (!before) throw unknown('delivery', id);
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
    const webhook = await tx.webhook.findFirst({ where: { id: webhookId, deletedAt: null } });
    if (!webhook) throw unknown('webhook', webhookId);
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
