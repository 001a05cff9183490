import { WebhookCreate } from '#contract/webhook.ts';
import { getPrisma } from './database.ts';
import { seal } from './sealing.ts';
import { createWebhook } from './webhooks.ts';

const NAME = 'Demo: a receiver on this machine';

/**
 * Sends what happens in the demo to its own receiver, whose port is new at each start: makes the webhook, or points the one
 * that is there at `url`. One that was removed stays so.
 */
export async function demoWebhook(url: string): Promise<void> {
  const known = await getPrisma().webhook.findFirst({ where: { demo: true, name: NAME } });
  if (known === null) {
    await createWebhook(WebhookCreate.parse({ name: NAME, format: 'standard', url }), { demo: true });
  } else if (known.deletedAt === null) {
    await getPrisma().webhook.update({ where: { id: known.id }, data: { url: seal(url) } });
  }
}
