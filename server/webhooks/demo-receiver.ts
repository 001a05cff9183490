import { WebhookCreate } from '#contract/webhook.ts';
import { seal } from '#server/access/sealing.ts';
import { getPrisma } from '#server/database/database.ts';
import { readSetting, writeSetting } from '#server/database/settings.ts';
import { createWebhook } from './webhooks.ts';

const NAME = 'demo-receiver';

/**
 * Sends what happens in the demo to its own receiver, whose port is new at each start: makes the webhook, or points the one
 * that is there at `url`. One that was removed stays so.
 */
export async function pointDemoWebhook(url: string): Promise<void> {
  await writeSetting('demo_receiver', { url });
  const known = await getPrisma().webhook.findFirst({ where: { demo: true } });
  if (known === null) {
    await createWebhook(WebhookCreate.parse({ name: NAME, format: 'standard', url }), { demo: true });
  } else if (known.deletedAt === null) {
    // What failed at the old port says nothing of the new one.
    await getPrisma().webhook.update({
      where: { id: known.id },
      data: { url: seal(url), slowUntil: null, failures: 0 },
    });
  }
}

/**
 * Whether the demo's webhook still leads to the demo's own receiver, which listens on loopback: it may be sent to, as the
 * demo's origins may be probed. One whose address a person has changed is like any other.
 */
export async function leadsToDemo(webhook: { demo: boolean }, url: string | null): Promise<boolean> {
  return webhook.demo && url !== null && (await readSetting('demo_receiver'))?.url === url;
}
