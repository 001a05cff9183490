import { z } from 'zod';

/** Everything that a webhook can be told of: what incidents send (`INCIDENT_EVENT_TYPES`), comparisons, and the test. */
export const EVENT_TYPES = [
  'tls.spike.opened',
  'tls.spike.updated',
  'tls.spike.resolved',
  'tls.regression.opened',
  'tls.regression.updated',
  'tls.regression.resolved',
  'tls.regression.accepted',
  'tls.improvement.detected',
  'threshold.opened',
  'threshold.resolved',
  'target.down',
  'target.recovered',
  'certificate.expiring',
  'certificate.renewed',
  'staple.unhealthy',
  'staple.healthy',
  'vantage.silent',
  'vantage.heard',
  'comparison.ready',
  'webhook.test',
] as const;
export const WebhookEventType = z.enum(EVENT_TYPES).meta({ id: 'WebhookEventType' });
export type WebhookEventType = z.infer<typeof WebhookEventType>;

/** Most bytes of a message's JSON, as Standard Webhooks advises. */
export const MAX_PAYLOAD_BYTES = 20_000;

/** `{type, timestamp, data}`: the body of a standard message, and what the other formats and templates are made of. */
export const WebhookPayload = z
  .object({
    type: WebhookEventType,
    timestamp: z.iso.datetime(),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'WebhookPayload' });
export type WebhookPayload = z.infer<typeof WebhookPayload>;
