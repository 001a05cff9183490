import { PAGERDUTY_URL, type PreviewQuery, type WebhookDraft, type WebhookPreview } from '#contract/webhook.ts';
import { type WebhookEventType, WebhookPayload } from '#contract/webhook-event.ts';
import { getPrisma } from '../database.ts';
import { ServiceError } from '../errors.ts';
import { SealError } from '../sealing.ts';
import { maskedUrl } from '../webhook-shown.ts';
import { draftEndpoint } from './draft.ts';
import { openEndpoint } from './endpoint.ts';
import { WRITERS } from './formats.ts';
import { unknown } from './list.ts';
import { MASKED, shownBody } from './log.ts';
import { messageIdOf } from './message-id.ts';
import { type Endpoint, FormatError, type Message, type Outgoing } from './outgoing.ts';
import { samplePayload } from './samples.ts';

const SAMPLE_ID = '01970000-0000-7000-8000-000000000000';

/**
 * The request as it would be sent for this kind of event: the latest real one to this webhook, else a sample. Signatures and
 * secrets are masked. Throws `not_found`, `unavailable`, or `invalid` where the template cannot be filled in.
 */
export async function previewWebhook(id: string, { event }: PreviewQuery, now = new Date()): Promise<WebhookPreview> {
  const row = await getPrisma().webhook.findFirst({ where: { id, deletedAt: null } });
  if (!row) throw unknown('webhook', id);
  const real = await latestMessage(id, event);
  const message = real ?? sampleMessage(event, now);
  return shown(() => openEndpoint(row, now), { event, sample: real === null, message, now });
}

/**
 * The request that a webhook would send which is not stored: always a sample. Throws `invalid` for whatever making it would
 * refuse.
 */
export function previewDraft({ event, ...input }: WebhookDraft, now = new Date()): WebhookPreview {
  return shown(() => draftEndpoint(input), { event, sample: true, message: sampleMessage(event, now), now });
}

type Showing = { event: WebhookEventType; sample: boolean; message: Message; now: Date };

function shown(open: () => Endpoint, { event, sample, message, now }: Showing): WebhookPreview {
  try {
    const endpoint = open();
    const outgoing = WRITERS[endpoint.format].write(endpoint, message, now);
    return {
      event,
      sample,
      url: shownAddress(outgoing),
      headers: shownHeaders(outgoing),
      body: bodyOf(outgoing),
    };
  } catch (error) {
    if (error instanceof FormatError)
      throw new ServiceError('invalid', error.message, [{ field: 'template', message: error.message }]);
    if (error instanceof SealError) throw new ServiceError('unavailable', `${error.message}.`);
    throw error;
  }
}

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

const shownAddress = (outgoing: Outgoing) =>
  outgoing.kind === 'mail'
    ? `smtp://${outgoing.settings.host}:${outgoing.settings.port}`
    : outgoing.url === PAGERDUTY_URL
      ? outgoing.url
      : maskedUrl(outgoing.url);

function shownHeaders({ headers }: Outgoing): Record<string, string> {
  const signature = headers['webhook-signature'];
  return signature ? { ...headers, 'webhook-signature': signature.replace(/v1,\S+/g, `v1,${MASKED}`) } : headers;
}

/** A robot's signature in the body would let whoever sees it post for an hour. */
const bodyOf = (outgoing: Outgoing) => shownBody(outgoing).replace(/("sign":")[^"]+"/, `$1${MASKED}"`);
