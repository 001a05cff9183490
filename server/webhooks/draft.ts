import type { WebhookCreate } from '#contract/webhook.ts';
import type { Endpoint } from './outgoing.ts';
import { isSigned, mintWebhookSecret, refuseBadSecret } from './secrets.ts';
import { acceptedTemplate, refuseBadSettings, refuseBadUrl } from './settings.ts';

/** Throws `invalid` for what the format cannot work with, and for private addresses unless such are allowed. */
export function refuseBadWebhook(input: WebhookCreate, { demo = false } = {}): void {
  if (!demo) refuseBadUrl(input.format, input.url);
  refuseBadSettings(input, { demo });
  refuseBadSecret(input.format, input.secret);
}

/** The secret of a webhook that is made: what was given, or a fresh one where the format signs. */
export const firstSecret = ({ format, secret }: WebhookCreate): string | null =>
  secret ?? (isSigned(format) ? mintWebhookSecret() : null);

/** A webhook that is not stored, as it would be opened. Throws as `refuseBadWebhook` does. */
export function draftEndpoint(input: WebhookCreate): Endpoint {
  refuseBadWebhook(input);
  const { format, url, language, settings } = input;
  const secret = firstSecret(input);
  const template = acceptedTemplate(format, input.template, settings);
  return { format, url, secrets: secret === null ? [] : [secret], language, settings, template };
}
