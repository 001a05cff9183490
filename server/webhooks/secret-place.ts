import { PAGERDUTY_URL, type WebhookSettings } from '#contract/webhook.ts';
import type { Webhook as Row } from '#prisma/generated/client.ts';
import { openable } from '#server/access/sealing.ts';
import { invalidField } from '#server/environment/errors.ts';
import { openEndpoint } from './endpoint.ts';

/** `url` undefined: it stays. */
type Change = { url: string | null | undefined; settings: WebhookSettings };

/**
 * PagerDuty's routing key and a mail server's password are sent as they are. Nobody can read them, so nobody can have them
 * sent elsewhere: throws `invalid` where another address or mail server comes without its own secret.
 */
export function refuseMovedSecret(before: Row, { url, settings }: Change): void {
  if (before.format !== 'pagerduty' && before.format !== 'email') return;
  // What cannot be opened cannot be sent either.
  const stored = openable(() => openEndpoint(before, new Date()));
  if (!stored || stored.secrets.length === 0) return;
  const newUrl = url === undefined ? stored.url : url;
  if (placeOf(stored.url, stored.settings) === placeOf(newUrl, settings)) return;
  throw invalidField('secret', 'is kept for the server that it was given for: give it again with another one');
}

function placeOf(url: string | null, { email }: WebhookSettings): string {
  return email ? `${email.host}:${email.port} ${email.secure}` : new URL(url ?? PAGERDUTY_URL).origin;
}
