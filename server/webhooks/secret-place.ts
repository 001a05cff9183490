import { WebhookFormat, type WebhookSettings } from '#contract/webhook.ts';
import type { Webhook as Row } from '#prisma/generated/client.ts';
import { openable } from '#server/access/sealing.ts';
import { invalidField } from '#server/environment/errors.ts';
import { openEndpoint } from './endpoint.ts';
import { usualUrl, WRITERS } from './formats/formats.ts';

/** `url` undefined: it stays. */
type Change = { url: string | null | undefined; settings: WebhookSettings };

/**
 * The secrets of some formats (a routing key, a password) are sent as they are. Nobody can read them, so nobody can have them
 * sent elsewhere: throws `invalid` where another address or mail server comes without its own secret.
 */
export function refuseMovedSecret(before: Row, { url, settings }: Change): void {
  const format = WebhookFormat.parse(before.format);
  if (WRITERS[format].secret !== 'sent') return;
  // What cannot be opened cannot be sent either.
  const stored = openable(() => openEndpoint(before, new Date()));
  if (!stored || stored.secrets.length === 0) return;
  const newUrl = url === undefined ? stored.url : url;
  if (placeOf(format, stored.url, stored.settings) === placeOf(format, newUrl, settings)) return;
  throw invalidField('secret', 'is kept for the server that it was given for: give it again with another one');
}

function placeOf(format: WebhookFormat, url: string | null, { email }: WebhookSettings): string {
  if (email) return `${email.host}:${email.port} ${email.secure}`;
  const address = url ?? usualUrl(format);
  return address === null ? '' : new URL(address).origin;
}
