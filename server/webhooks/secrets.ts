import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { MAX_SECRETS, type WebhookFormat } from '#contract/webhook.ts';
import { seal, unseal } from '#server/access/sealing.ts';
import { invalidField } from '#server/environment/errors.ts';

/** Newest first; `expiresAt` is set on those that a newer one has taken the place of. */
export type StoredSecret = { secret: string; expiresAt: string | null };

const StoredSecrets = z.array(z.object({ secret: z.string(), expiresAt: z.string().nullable() }));

/** Formats whose messages are signed as Standard Webhooks. */
export const isSigned = (format: WebhookFormat) => format === 'standard' || format === 'template';

/** A fresh signing secret with 256 bits of chance. */
export const mintWebhookSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

/** Throws `invalid` for a secret that this format cannot work with. */
export function refuseBadSecret(format: WebhookFormat, secret: string | null): void {
  if (format === 'pagerduty' && secret === null)
    throw invalidField('secret', 'is needed: the routing key of PagerDuty');
  if (!isSigned(format) || secret === null) return;
  const [, encoded] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  const bytes = encoded === undefined ? 0 : Buffer.from(encoded, 'base64').length;
  if (bytes < 24 || bytes > 64) throw invalidField('secret', 'must be whsec_ and base64 of 24 to 64 bytes');
}

export const sealSecrets = (secrets: StoredSecret[]) => seal(JSON.stringify(secrets));

/** The secrets that are valid at `now`, newest first. Throws SealError. */
export function openSecrets(sealed: string, now: Date): StoredSecret[] {
  return StoredSecrets.parse(JSON.parse(unseal(sealed))).filter(
    ({ expiresAt }) => expiresAt === null || Date.parse(expiresAt) > now.getTime(),
  );
}

/** The new secret before the older, which end `keepHours` from now unless they end sooner. */
export function rotated(valid: StoredSecret[], secret: string, keepHours: number, now: Date): StoredSecret[] {
  const end = new Date(now.getTime() + keepHours * 3_600_000).toISOString();
  const older = valid
    .filter((one) => one.secret !== secret && keepHours > 0)
    .map((one) => ({ ...one, expiresAt: one.expiresAt && one.expiresAt < end ? one.expiresAt : end }));
  return [{ secret, expiresAt: null }, ...older].slice(0, MAX_SECRETS);
}
