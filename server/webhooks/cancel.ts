import type { Prisma } from '#prisma/generated/client.ts';

/** Cancels what has not been sent to an endpoint; it can be replayed. */
export async function cancelPending(tx: Prisma.TransactionClient, webhookId: string): Promise<void> {
  await tx.delivery.updateMany({
    where: { webhookId, status: 'pending' },
    data: { status: 'cancelled', nextAt: null },
  });
}
