// Webhooks, and the messages to them. The life of a delivery:
// - enqueue.ts: what happened and a message for every webhook that wants it are committed together (the outbox).
// - lease.ts: a jobs process takes a webhook that has something due, for a minute; others leave it alone.
// - queue.ts: which message is next. Messages about one incident keep their order; a burst becomes one message.
// - attempt.ts: an attempt is noted before it is made, so that one of a process that was killed is made again.
// - formats/: one file a kind of receiver writes the request; text.ts says what happened in words.
// - send.ts: HTTP or mail, to the first of the checked addresses (address-guard.ts) that can be connected to (connect.ts).
// - outcome.ts: what the answer means: delivered, again later, never, or the whole webhook slower or off.
// - deliver.ts leads through the last five, for one webhook after the other; preview.ts shows a message, or sends a test before there is a webhook.
// - deliveries.ts: what became of it, for the API; sent again; deleted after 30 days. masking.ts: what may be seen of it.
// This file: webhooks themselves, made, changed, removed, their secrets rotated (secrets.ts).

import { v7 as uuid } from 'uuid';
import type { Page } from '#contract/problem.ts';
import type { NamedQuery } from '#contract/query.ts';
import {
  type FormatField,
  type SecretRotation,
  type Webhook,
  type WebhookCreate,
  type WebhookCreated,
  WebhookFormat,
  type WebhookPatch,
  WebhookSettings,
} from '#contract/webhook.ts';
import type { Prisma, Webhook as Row } from '#prisma/generated/client.ts';
import { allowsPrivateAddresses } from '#server/access/private-addresses.ts';
import { openable, seal } from '#server/access/sealing.ts';
import type { Viewer } from '#server/access/secret-settings.ts';
import { getPrisma } from '#server/database/database.ts';
import { named, pageOfRows, pageRange } from '#server/database/page.ts';
import { invalidField, notFound, ServiceError } from '#server/environment/errors.ts';
import { refusePrivateHost } from './address-guard.ts';
import { formOf, isSigned, usualUrl, WRITERS } from './formats/formats.ts';
import { templateProblem } from './formats/template.ts';
import { isMaskedUrl, presentWebhook } from './masking.ts';
import type { Endpoint } from './outgoing.ts';
import { mintWebhookSecret, openSecrets, refuseBadSecret, refuseMovedSecret, rotated, sealSecrets } from './secrets.ts';

/** Webhooks that are not removed, oldest first. Throws `invalid` for a made-up cursor. */
export async function listWebhooks(query: NamedQuery, viewer: Viewer = 'reader'): Promise<Page<Webhook>> {
  const { take, after } = pageRange(query);
  const rows = await getPrisma().webhook.findMany({
    where: { deletedAt: null, id: { gt: after }, ...named(query) },
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
export async function webhookRow(id: string, db: Prisma.TransactionClient = getPrisma()): Promise<Row> {
  const row = await db.webhook.findFirst({ where: { id, deletedAt: null } });
  if (!row) throw notFound('webhook', id);
  return row;
}

/** The same, locked until the transaction ends. */
async function lockedRow(id: string, tx: Prisma.TransactionClient): Promise<Row> {
  await tx.$queryRaw`select id from webhook where id = ${id}::uuid for update`;
  return await webhookRow(id, tx);
}

/**
 * Makes a webhook; `secret` of the answer is shown this once. Throws `invalid` for what its format cannot work with, and for
 * private addresses unless such are allowed; `unavailable` where nothing can be sealed.
 */
export async function createWebhook(input: WebhookCreate, { demo = false } = {}): Promise<WebhookCreated> {
  const { secret: _given, url, ...rest } = input;
  refuseBadWebhook(input, { allowPrivate: demo || (await allowsPrivateAddresses()) });
  const secret = firstSecret(input);
  const data = {
    ...rest,
    id: uuid(),
    name: input.name ?? defaultName(input),
    template: acceptedTemplate(input.format, input.template, input.settings),
    url: url === null ? null : seal(url),
    secrets: sealSecrets(secret === null ? [] : [{ secret, expiresAt: null }]),
    demo,
  };
  const made = await getPrisma().$transaction(async (tx) =>
    presentWebhook(await tx.webhook.create({ data }), 'editor'),
  );
  return { ...made, secret };
}

/** Changes a webhook. Throws `not_found`, `invalid` or `unavailable`. */
export async function updateWebhook(id: string, patch: WebhookPatch, now = new Date()): Promise<Webhook> {
  const allowed = await allowsPrivateAddresses();
  const row = await getPrisma().$transaction(async (tx) => {
    const before = await lockedRow(id, tx);
    const data = changes(before, patch, { allowPrivate: before.demo || allowed });
    if (patch.enabled === false) await cancelPending(tx, id);
    return tx.webhook.update({ where: { id }, data: { ...data, updatedAt: now } });
  });
  return presentWebhook(row, 'editor');
}

function changes(before: Row, { secret, url, ...rest }: WebhookPatch, reach: Reach) {
  const format = WebhookFormat.parse(before.format);
  const settings = rest.settings ?? WebhookSettings.parse(before.settings);
  const newUrl = url === undefined || (url !== null && isMaskedUrl(url)) ? undefined : url;
  if (newUrl !== undefined) refuseBadUrl(format, newUrl, reach);
  refuseBadSettings({ format, settings }, reach);
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
    if (count === 0) throw notFound('webhook', id);
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
    const row = await lockedRow(id, tx);
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
  const address = url ?? usualUrl(format);
  return address === null ? format : new URL(address).host;
}

/** Throws `invalid` for what the format cannot work with, and for private addresses unless such are allowed. */
export function refuseBadWebhook(input: WebhookCreate, reach: Reach): void {
  refuseBadUrl(input.format, input.url, reach);
  refuseBadSettings(input, reach);
  refuseBadSecret(input.format, input.secret);
}

/** The secret of a webhook that is made: what was given, or a fresh one where the format signs. */
export const firstSecret = ({ format, secret }: WebhookCreate): string | null =>
  secret ?? (isSigned(format) ? mintWebhookSecret() : null);

/** A webhook that is not stored, as it would be opened. Throws as `refuseBadWebhook` does. */
export async function draftEndpoint(input: WebhookCreate): Promise<Endpoint> {
  refuseBadWebhook(input, { allowPrivate: await allowsPrivateAddresses() });
  const { format, url, language, settings } = input;
  const secret = firstSecret(input);
  const template = acceptedTemplate(format, input.template, settings);
  return { format, url, secrets: secret === null ? [] : [secret], language, settings, template };
}

/** Cancels what has not been sent to an endpoint; it can be replayed. */
export async function cancelPending(tx: Prisma.TransactionClient, webhookId: string): Promise<void> {
  await tx.delivery.updateMany({
    where: { webhookId, status: 'pending' },
    data: { status: 'cancelled', nextAt: null },
  });
}

/** Whether loopback and private addresses may be sent to: the demo's own receiver, and all where such are allowed. */
type Reach = { allowPrivate: boolean };

/** Throws `invalid` where the format needs another address than this, or where it is private and such are not allowed. */
export function refuseBadUrl(format: WebhookFormat, url: string | null, { allowPrivate }: Reach): void {
  const needed = WRITERS[format].url;
  if (needed === 'none') {
    if (url !== null) throw invalidField('url', `is not used by the format ${format}: give settings.${format}`);
    return;
  }
  if (url === null) {
    if (needed === 'given') throw invalidField('url', `is needed by the format ${format}`);
    return;
  }
  if (!allowPrivate) refusePrivateHost('url', new URL(url).hostname);
}

type Given = { format: WebhookFormat; settings: WebhookSettings };

/** Throws `invalid` where the format lacks its settings, or they name a private mail server and such are not allowed. */
export function refuseBadSettings({ format, settings }: Given, { allowPrivate }: Reach): void {
  if (!has(format, 'email')) return;
  if (settings.email === null) throw invalidField('settings.email', `is needed by the format ${format}`);
  if (!allowPrivate) refusePrivateHost('settings.email.host', settings.email.host);
}

const has = (format: WebhookFormat, field: FormatField): boolean => formOf(format).fields.includes(field);

/** The template as it is to be stored: null but for the format `template`. Throws `invalid`, naming the placeholder. */
export function acceptedTemplate(
  format: WebhookFormat,
  template: string | null,
  { contentType }: WebhookSettings,
): string | null {
  if (!has(format, 'template')) return null;
  if (template === null) throw invalidField('template', `is needed by the format ${format}`);
  const problem = templateProblem(template, contentType);
  if (problem) throw invalidField('template', problem);
  return template;
}
