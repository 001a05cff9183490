import { DeliveriesQuery, Delivery, DeliveryDetail } from '../delivery.ts';
import { ById, type Operation } from '../operation.ts';
import { pageOf } from '../problem.ts';

export const listDeliveries = {
  id: 'listDeliveries',
  method: 'get',
  path: '/api/v1/webhooks/{id}/deliveries',
  tag: 'alerting',
  summary: 'List the messages of a webhook, newest first',
  description:
    'Messages that are over are kept for `deliveryDays` (`GET /api/v1/retention`; 30 by default) after they were made, and until their incident is resolved.',
  access: 'read',
  params: ById,
  query: DeliveriesQuery,
  success: { status: 200, description: 'A page of deliveries', schema: pageOf(Delivery, 'DeliveryPage') },
} as const satisfies Operation;

export const getDelivery = {
  id: 'getDelivery',
  method: 'get',
  path: '/api/v1/deliveries/{id}',
  tag: 'alerting',
  summary: 'Read a message and its attempts',
  access: 'read',
  params: ById,
  success: { status: 200, description: 'The delivery with its log', schema: DeliveryDetail },
} as const satisfies Operation;

export const replayDelivery = {
  id: 'replayDelivery',
  method: 'post',
  path: '/api/v1/deliveries/{id}/replay',
  tag: 'alerting',
  summary: 'Send a message again, under its own id',
  description:
    'Attempts start over and `webhook-id` stays the same, so that a receiver can recognise a duplicate. Rejected for a message that is pending or grouped (replay its group), or whose webhook is disabled.',
  access: 'write',
  params: ById,
  success: { status: 200, description: 'The pending delivery', schema: Delivery },
  problems: [409],
} as const satisfies Operation;
