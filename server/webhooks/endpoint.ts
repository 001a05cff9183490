import { Language, WebhookFormat, WebhookSettings } from '#contract/webhook.ts';
import type { Webhook as Row } from '#prisma/generated/client.ts';
import { unseal } from '#server/access/sealing.ts';
import type { Endpoint } from './outgoing.ts';
import { openSecrets } from './secrets.ts';

/** A webhook with its address and the secrets that are valid at `now` open. Throws SealError. */
export function openEndpoint(row: Row, now: Date): Endpoint {
  return {
    format: WebhookFormat.parse(row.format),
    url: row.url && unseal(row.url),
    secrets: openSecrets(row.secrets, now).map(({ secret }) => secret),
    language: Language.parse(row.language),
    settings: WebhookSettings.parse(row.settings),
    template: row.template,
  };
}
