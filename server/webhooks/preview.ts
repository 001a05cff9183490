import type { Language } from '#contract/language.ts';
import type { PreviewQuery, WebhookCreate, WebhookDraft, WebhookFormat, WebhookPreview } from '#contract/webhook.ts';
import { type WebhookEventType, WebhookPayload } from '#contract/webhook-event.ts';
import { allowsPrivateAddresses } from '#server/access/private-addresses.ts';
import { SealError } from '#server/access/sealing.ts';
import type { Viewer } from '#server/access/secret-settings.ts';
import { getPrisma } from '#server/database/database.ts';
import { ServiceError } from '#server/environment/errors.ts';
import { type DeliverOptions, sendOnce } from './deliver.ts';
import { messageIdOf } from './enqueue.ts';
import { usualUrl, WRITERS } from './formats/formats.ts';
import { blank, MASKED, maskedUrl, shownBody, shownRequestHeaders } from './masking.ts';
import { type Endpoint, FormatError, type Message, type Outgoing } from './outgoing.ts';
import { samplePayload } from './sample-payloads.ts';
import { openEndpoint } from './secrets.ts';
import { type Text, textOf } from './text.ts';
import { draftEndpoint, webhookRow } from './webhooks.ts';

const SAMPLE_ID = '01970000-0000-7000-8000-000000000000';

/**
 * The request as it would be sent for this kind of event: the latest real one to this webhook, else a sample. Signatures and
 * secrets are masked; a mere reader sees neither headers nor body. Throws `not_found`, `unavailable`, or `invalid` where the
 * template cannot be filled in.
 */
export async function previewWebhook(
  id: string,
  { event }: PreviewQuery,
  viewer: Viewer = 'reader',
  now = new Date(),
): Promise<WebhookPreview> {
  const row = await webhookRow(id);
  const real = await latestMessage(id, event);
  const message = real ?? sampleMessage(event, now);
  return shown(() => openEndpoint(row, now), { event, sample: real === null, message, now, viewer });
}

/**
 * The request that a webhook would send which is not stored: always a sample. Throws `invalid` for whatever making it would
 * refuse.
 */
export async function previewDraft({ event, ...input }: WebhookDraft, now = new Date()): Promise<WebhookPreview> {
  const message = sampleMessage(event, now);
  const endpoint = await draftEndpoint(input);
  return shown(() => endpoint, { event, sample: true, message, now, viewer: 'editor' });
}

/**
 * Sends a test as a webhook would that is not stored, once: nothing is kept of it. Returns why it was not taken; null where it was.
 * Throws `invalid` for whatever making the webhook would refuse.
 */
export async function testDraft(input: WebhookCreate, options: DeliverOptions = {}): Promise<string | null> {
  const message = sampleMessage('webhook.test', options.clock?.() ?? new Date());
  const allowPrivate = await allowsPrivateAddresses();
  const made = await sendOnce(
    await draftEndpoint(input),
    message,
    { attempts: 1, failures: 0 },
    { allowPrivate, ...options },
  );
  return made instanceof FormatError ? made.message : made.judged.error;
}

/** What people read in a chat of an incident that opens: a sample. */
export const sampleText = (language: Language, now = new Date()): Text =>
  textOf(samplePayload('tls.spike.opened', now), language);

type Showing = { event: WebhookEventType; sample: boolean; message: Message; now: Date; viewer: Viewer };

function shown(open: () => Endpoint, { event, sample, message, now, viewer }: Showing): WebhookPreview {
  try {
    const endpoint = open();
    const outgoing = WRITERS[endpoint.format].write(endpoint, message, now);
    const url = shownAddress(endpoint.format, outgoing, viewer);
    const headers = shownRequestHeaders(outgoing.headers);
    return viewer === 'reader'
      ? { event, sample, url, headers: blank(headers), body: MASKED }
      : { event, sample, url, headers, body: shownBody(outgoing) };
  } catch (error) {
    if (error instanceof FormatError) throw unfilled(viewer === 'reader' ? UNFILLED : error.message);
    if (error instanceof SealError) throw new ServiceError('unavailable', `${error.message}.`);
    throw error;
  }
}

/** The placeholder is the template's text, which a reader is not shown. */
const UNFILLED = 'the message cannot be written in the format';

const unfilled = (message: string) => new ServiceError('invalid', message, [{ field: 'template', message }]);

const sampleMessage = (event: WebhookEventType, now: Date): Message => ({
  messageId: messageIdOf(SAMPLE_ID),
  incidentId: null,
  payload: samplePayload(event, now),
});

async function latestMessage(webhookId: string, eventType: string): Promise<Message | null> {
  const row = await getPrisma().delivery.findFirst({ where: { webhookId, eventType }, orderBy: { id: 'desc' } });
  if (!row) return null;
  return { messageId: messageIdOf(row.id), incidentId: row.incidentId, payload: WebhookPayload.parse(row.payload) };
}

function shownAddress(format: WebhookFormat, outgoing: Outgoing, viewer: Viewer): string {
  if (outgoing.kind === 'http') return outgoing.url === usualUrl(format) ? outgoing.url : maskedUrl(outgoing.url);
  const { host, port } = outgoing.settings;
  return viewer === 'reader' ? `smtp://${MASKED}` : `smtp://${host}:${port}`;
}
