import { Delivery } from '../delivery.ts';
import { ById, gone, type Operation } from '../operation.ts';
import { pageOf } from '../problem.ts';
import { PageQuery } from '../query.ts';
import {
  PreviewQuery,
  SecretRotation,
  Webhook,
  WebhookCreate,
  WebhookCreated,
  WebhookDraft,
  WebhookPatch,
  WebhookPreview,
} from '../webhook.ts';

export const listWebhooks = {
  id: 'listWebhooks',
  method: 'get',
  path: '/api/v1/webhooks',
  tag: 'alerting',
  summary: 'List the webhooks, oldest first',
  access: 'read',
  query: PageQuery,
  success: { status: 200, description: 'A page of webhooks', schema: pageOf(Webhook, 'WebhookPage') },
} as const satisfies Operation;

export const createWebhook = {
  id: 'createWebhook',
  method: 'post',
  path: '/api/v1/webhooks',
  tag: 'alerting',
  summary: 'Send messages to an address',
  description:
    'The secret is in this answer alone. An address that is loopback or private is refused, also once a name resolves to it, unless the server allows it.',
  access: 'write',
  body: WebhookCreate,
  success: { status: 201, description: 'The webhook', schema: WebhookCreated, location: '/api/v1/webhooks/{id}' },
  problems: [503],
} as const satisfies Operation;

export const getWebhook = {
  id: 'getWebhook',
  method: 'get',
  path: '/api/v1/webhooks/{id}',
  tag: 'alerting',
  summary: 'Read a webhook',
  access: 'read',
  params: ById,
  success: { status: 200, description: 'The webhook', schema: Webhook },
} as const satisfies Operation;

export const updateWebhook = {
  id: 'updateWebhook',
  method: 'patch',
  path: '/api/v1/webhooks/{id}',
  tag: 'alerting',
  summary: 'Change a webhook',
  description:
    'Fields left out stay as they are; `settings` is replaced whole; a `url` that holds `***` keeps the stored one. Disabling cancels what has not been sent; enabling clears `disabledReason` and `slowUntil`.',
  access: 'write',
  params: ById,
  body: WebhookPatch,
  success: { status: 200, description: 'The webhook as it is now', schema: Webhook },
  problems: [503],
} as const satisfies Operation;

export const deleteWebhook = {
  id: 'deleteWebhook',
  method: 'delete',
  path: '/api/v1/webhooks/{id}',
  tag: 'alerting',
  summary: 'Remove a webhook',
  description: 'What has not been sent is cancelled.',
  access: 'write',
  params: ById,
  success: gone,
} as const satisfies Operation;

export const rotateWebhookSecret = {
  id: 'rotateWebhookSecret',
  method: 'post',
  path: '/api/v1/webhooks/{id}/secrets',
  tag: 'alerting',
  summary: 'Give a webhook a new signing secret',
  description:
    'Of the formats `standard` and `template`. Until the older secrets end, every message carries a signature of each.',
  access: 'write',
  params: ById,
  body: SecretRotation,
  success: {
    status: 201,
    description: 'The webhook, and the new secret: it is shown this once',
    schema: WebhookCreated,
  },
  problems: [409, 503],
} as const satisfies Operation;

export const testWebhook = {
  id: 'testWebhook',
  method: 'post',
  path: '/api/v1/webhooks/{id}/test',
  tag: 'alerting',
  summary: 'Send `webhook.test`',
  access: 'write',
  params: ById,
  success: {
    status: 201,
    description: 'The delivery, which is on its way',
    schema: Delivery,
    location: '/api/v1/deliveries/{id}',
  },
  problems: [409],
} as const satisfies Operation;

export const previewWebhook = {
  id: 'previewWebhook',
  method: 'get',
  path: '/api/v1/webhooks/{id}/preview',
  tag: 'alerting',
  summary: 'See what would be sent for a kind of event',
  description: 'The latest real message of this kind in the webhook’s format, or a sample where there was none yet.',
  access: 'read',
  params: ById,
  query: PreviewQuery,
  success: { status: 200, description: 'The request as it would be sent', schema: WebhookPreview },
  problems: [503],
} as const satisfies Operation;

export const previewWebhookDraft = {
  id: 'previewWebhookDraft',
  method: 'post',
  path: '/api/v1/webhooks/preview',
  tag: 'alerting',
  summary: 'See what a webhook would send before it is made',
  description:
    'A sample in the format, language and template given; nothing is stored or sent. What making the webhook would refuse is refused here with the same words.',
  access: 'write',
  body: WebhookDraft,
  success: { status: 200, description: 'The request as it would be sent', schema: WebhookPreview },
} as const satisfies Operation;
