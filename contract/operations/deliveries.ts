import { DeliveriesQuery, Delivery, DeliveryDetail } from '../delivery.ts';
import { ById, type Operation } from '../operation.ts';
import { pageOf } from '../problem.ts';

export const listDeliveries = {
  id: 'listDeliveries',
  method: 'get',
  path: '/api/v1/webhooks/{id}/deliveries',
  tag: 'alerting',
  summary: 'List the messages to an endpoint, newest first',
  description: 'They are kept for 30 days after they are over.',
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
    'Its attempts begin anew and its `webhook-id` stays, so that a receiver that had it already can tell. A message that is pending, was grouped (replay its group), or whose endpoint is disabled is refused.',
  access: 'write',
  params: ById,
  success: { status: 200, description: 'The delivery, which is on its way', schema: Delivery },
  problems: [409],
} as const satisfies Operation;
