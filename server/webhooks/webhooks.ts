import { v7 as uuid } from 'uuid';
import type { Page } from '#contract/problem.ts';
import type { PageQuery } from '#contract/query.ts';
import {
  PAGERDUTY_URL,
  type SecretRotation,
  type Webhook,
  type WebhookCreate,
  type WebhookCreated,
  WebhookFormat,
  type WebhookPatch,
  WebhookSettings,
} from '#contract/webhook.ts';
import type { Webhook as Row } from '#prisma/generated/client.ts';
import { openable, seal } from '#server/access/sealing.ts';
import type { Viewer } from '#server/access/secret-settings.ts';
import { getPrisma } from '#server/database/database.ts';
import { pageOfRows, pageRange } from '#server/database/page.ts';
import { ServiceError } from '#server/environment/errors.ts';
import { cancelPending } from './cancel.ts';
import { firstSecret, refuseBadWebhook } from './draft.ts';
import { refuseMovedSecret } from './secret-place.ts';
import { isSigned, mintWebhookSecret, openSecrets, refuseBadSecret, rotated, sealSecrets } from './secrets.ts';
import { acceptedTemplate, refuseBadSettings, refuseBadUrl } from './settings.ts';
import { isMaskedUrl, presentWebhook } from './shown.ts';

/** Webhooks that are not removed, oldest first. Throws `invalid` for a made-up cursor. */
export async function listWebhooks(query: PageQuery, viewer: Viewer = 'reader'): Promise<Page<Webhook>> {
  const { take, after } = pageRange(query);
  const rows = await getPrisma().webhook.findMany({
    where: { deletedAt: null, id: { gt: after } },
    orderBy: { id: 'asc' },
    take,
  });
  return pageOfRows(rows, query, (row) => presentWebhook(row, viewer));
}

/** A webhook as the viewer may see it. Throws `not_found`. */
export async function getWebhook(id: string, viewer: Viewer = 'reader'): Promise<Webhook> {
  return presentWebhook(await webhookRow(id), viewer);
}

/** The row of a webhook that is not removed. Throws `not_found`. */
export async function webhookRow(id: string): Promise<Row> {
  const row = await getPrisma().webhook.findFirst({ where: { id, deletedAt: null } });
  if (!row) throw unknownWebhook(id);
  return row;
}

/**
 * Makes a webhook; `secret` of the answer is shown this once. Throws `invalid` for what its format cannot work with, and for
 * private addresses unless such are allowed; `unavailable` where nothing can be sealed.
 */
export async function createWebhook(input: WebhookCreate, { demo = false } = {}): Promise<WebhookCreated> {
  const { secret: _given, url, ...rest } = input;
  refuseBadWebhook(input, { demo });
  const secret = firstSecret(input);
  const row = await getPrisma().webhook.create({
    data: {
      ...rest,
      id: uuid(),
      name: input.name ?? defaultName(input),
      template: acceptedTemplate(input.format, input.template, input.settings),
      url: url === null ? null : seal(url),
      secrets: sealSecrets(secret === null ? [] : [{ secret, expiresAt: null }]),
      demo,
    },
  });
  return { ...presentWebhook(row, 'editor'), secret };
}

/** Changes a webhook. Throws `not_found`, `invalid` or `unavailable`. */
export async function updateWebhook(id: string, patch: WebhookPatch, now = new Date()): Promise<Webhook> {
  const row = await getPrisma().$transaction(async (tx) => {
    await tx.$queryRaw`select id from webhook where id = ${id}::uuid for update`;
    const before = await tx.webhook.findFirst({ where: { id, deletedAt: null } });
    if (!before) throw unknownWebhook(id);
    const data = changes(before, patch);
    if (patch.enabled === false) await cancelPending(tx, id);
    return tx.webhook.update({ where: { id }, data: { ...data, updatedAt: now } });
  });
  return presentWebhook(row, 'editor');
}

function changes(before: Row, { secret, url, ...rest }: WebhookPatch) {
  const format = WebhookFormat.parse(before.format);
  const settings = rest.settings ?? WebhookSettings.parse(before.settings);
  const newUrl = url === undefined || (url !== null && isMaskedUrl(url)) ? undefined : url;
  if (newUrl !== undefined && !before.demo) refuseBadUrl(format, newUrl);
  refuseBadSettings({ format, settings }, { demo: before.demo });
  if (secret === undefined) refuseMovedSecret(before, { url: newUrl, settings });
  const template = rest.template === undefined ? before.template : rest.template;
  if (secret !== undefined) refuseBadSecret(format, secret);
  const newSecret = secret === null && isSigned(format) ? mintWebhookSecret() : secret;
  return {
    ...rest,
    template: acceptedTemplate(format, template, settings),
    ...(newUrl === undefined ? {} : { url: newUrl === null ? null : seal(newUrl) }),
    ...(newSecret === undefined
      ? {}
      : { secrets: sealSecrets(newSecret === null ? [] : [{ secret: newSecret, expiresAt: null }]) }),
    ...(rest.enabled ? { disabledReason: null, slowUntil: null, failures: 0 } : {}),
  };
}

/** Removes a webhook; what has not been sent is cancelled. Throws `not_found`. */
export async function deleteWebhook(id: string): Promise<void> {
  await getPrisma().$transaction(async (tx) => {
    const { count } = await tx.webhook.updateMany({ where: { id, deletedAt: null }, data: { deletedAt: new Date() } });
    if (count === 0) throw unknownWebhook(id);
    await cancelPending(tx, id);
  });
}

/**
 * Adds a signing secret; the older sign too, for so many hours. Throws `not_found`, `invalid`, `unavailable`, or `conflict`
 * for a format that is not signed so.
 */
export async function rotateSecret(
  id: string,
  { secret, keepHours }: SecretRotation,
  now = new Date(),
): Promise<WebhookCreated> {
  return await getPrisma().$transaction(async (tx) => {
    await tx.$queryRaw`select id from webhook where id = ${id}::uuid for update`;
    const row = await tx.webhook.findFirst({ where: { id, deletedAt: null } });
    if (!row) throw unknownWebhook(id);
    const format = WebhookFormat.parse(row.format);
    if (!isSigned(format)) {
      throw new ServiceError('conflict', `Messages of the format ${format} carry one secret: change it with PATCH.`);
    }
    const fresh = secret ?? mintWebhookSecret();
    refuseBadSecret(format, fresh);
    // Secrets that were sealed with another ROUNDTRIP_SECRET are lost: the new one takes their place.
    const older = openable(() => openSecrets(row.secrets, now)) ?? [];
    const secrets = sealSecrets(rotated(older, fresh, keepHours, now));
    const updated = await tx.webhook.update({ where: { id }, data: { secrets, updatedAt: now } });
    return { ...presentWebhook(updated, 'editor'), secret: fresh };
  });
}

/** Everybody reads the name: it must not be a mailbox. */
function defaultName({ format, url }: WebhookCreate): string {
  if (format === 'email') return 'email';
  return new URL(url ?? PAGERDUTY_URL).host;
}

const unknownWebhook = (id: string) =>
  new ServiceError('not_found', `There is no webhook ${id}.`, [{ field: 'id', message: 'is unknown' }]);
