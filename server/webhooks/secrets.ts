import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { Language } from '#contract/language.ts';
import { MAX_SECRETS, WebhookFormat, WebhookSettings } from '#contract/webhook.ts';
import type { Webhook as Row } from '#prisma/generated/client.ts';
import { openable, seal, unseal } from '#server/access/sealing.ts';
import { invalidField } from '#server/environment/errors.ts';
import { isSigned, usualUrl, WRITERS } from './formats/formats.ts';
import type { Endpoint } from './outgoing.ts';

/** Newest first; `expiresAt` is set on those that a newer one has taken the place of. */
export type StoredSecret = { secret: string; expiresAt: string | null };

const StoredSecrets = z.array(z.object({ secret: z.string(), expiresAt: z.string().nullable() }));

/** A fresh signing secret with 256 bits of chance. */
export const mintWebhookSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

/** Throws `invalid` for a secret that this format cannot work with. */
export function refuseBadSecret(format: WebhookFormat, secret: string | null): void {
  const { needsSecret } = WRITERS[format];
  if (needsSecret !== undefined && secret === null) throw invalidField('secret', `is needed: ${needsSecret}`);
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

/** `url` undefined: it stays. */
type Change = { url: string | null | undefined; settings: WebhookSettings };

/**
 * The secrets of some formats (a routing key, a password) are sent as they are. They cannot be read, so they must not be
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
