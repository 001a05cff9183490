import { z } from 'zod';
import { PageQuery } from './query.ts';
import { WebhookPayload } from './webhook-event.ts';

/**
 * `grouped` became a part of another message, with others of a burst; `cancelled` was not sent because its endpoint was
 * disabled or removed first.
 */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'cancelled', 'grouped'] as const;
export const DeliveryStatus = z.enum(DELIVERY_STATUSES).meta({ id: 'DeliveryStatus' });
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;

export const DeliveriesQuery = PageQuery.extend({ status: DeliveryStatus.optional() });
export type DeliveriesQuery = z.infer<typeof DeliveriesQuery>;

export const Delivery = z
  .object({
    id: z.uuid(),
    messageId: z.string().meta({ description: 'the header `webhook-id`, the same in every attempt' }),
    webhookId: z.uuid(),
    incidentId: z.uuid().nullable(),
    eventType: z.string(),
    status: DeliveryStatus,
    attempts: z.number().int().meta({ description: 'since creation or replay' }),
    nextAt: z.iso.datetime().nullable().meta({ description: 'time of the next attempt; null if there is none' }),
    groupId: z.uuid().nullable().meta({ description: 'the delivery that includes this one' }),
    createdAt: z.iso.datetime(),
    deliveredAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Delivery' });
export type Delivery = z.infer<typeof Delivery>;

const headers = z.record(z.string(), z.string()).nullable();

/**
 * One request and its answer; bodies are cut at 2,048 bytes. Signatures are `***`, and so are the path and query of a redirect's
 * `location`; for readers all bodies and values of headers.
 */
export const DeliveryAttempt = z
  .object({
    id: z.uuid(),
    at: z.iso.datetime(),
    status: z.number().int().nullable().meta({ description: 'HTTP or SMTP; null if there was no response' }),
    durationMs: z.number().nullable(),
    requestHeaders: headers,
    requestBody: z.string().nullable(),
    responseHeaders: headers,
    responseBody: z.string().nullable(),
    error: z.string().nullable().meta({ description: 'why the attempt failed; null if it was accepted' }),
  })
  .meta({ id: 'DeliveryAttempt' });
export type DeliveryAttempt = z.infer<typeof DeliveryAttempt>;

export const DeliveryDetail = Delivery.extend({
  payload: WebhookPayload,
  log: z.array(DeliveryAttempt).meta({ description: 'newest first, at most 100' }),
}).meta({ id: 'DeliveryDetail' });
export type DeliveryDetail = z.infer<typeof DeliveryDetail>;
