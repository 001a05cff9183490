import { Delivery } from '../delivery.ts';
import { ById, gone, type Operation } from '../operation.ts';
import { pageOf } from '../problem.ts';
import { NamedQuery } from '../query.ts';
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
  query: NamedQuery,
  success: { status: 200, description: 'A page of webhooks', schema: pageOf(Webhook, 'WebhookPage') },
} as const satisfies Operation;

export const createWebhook = {
  id: 'createWebhook',
  method: 'post',
  path: '/api/v1/webhooks',
  tag: 'alerting',
  summary: 'Create a webhook',
  description:
    'The secret is only in this response. Loopback and private addresses are rejected, also when a name resolves to one, unless the server allows them.',
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
    'Omitted fields keep their values; `settings` is replaced as a whole; a `url` that contains `***` keeps the stored one. Disabling cancels messages not yet sent; enabling clears `disabledReason` and `slowUntil`.',
  access: 'write',
  params: ById,
  body: WebhookPatch,
  success: { status: 200, description: 'The updated webhook', schema: Webhook },
  problems: [503],
} as const satisfies Operation;

export const deleteWebhook = {
  id: 'deleteWebhook',
  method: 'delete',
  path: '/api/v1/webhooks/{id}',
  tag: 'alerting',
  summary: 'Delete a webhook',
  description: 'Messages not yet sent are cancelled.',
  access: 'write',
  params: ById,
  success: gone,
} as const satisfies Operation;

export const rotateWebhookSecret = {
  id: 'rotateWebhookSecret',
  method: 'post',
  path: '/api/v1/webhooks/{id}/secrets',
  tag: 'alerting',
  summary: 'Rotate the signing secret of a webhook',
  description:
    'For the formats `standard` and `template`. Until the older secrets expire, every message is signed with each of them.',
  access: 'write',
  params: ById,
  body: SecretRotation,
  success: {
    status: 201,
    description: 'The webhook, and the new secret, which is shown only here',
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
    description: 'The pending delivery',
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
  summary: 'Preview the message for an event type',
  description: 'The latest actual message of this type in the webhook’s format, or a sample if there is none yet.',
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
  summary: 'Preview the message of a webhook before it is created',
  description:
    'A sample in the given format, language and template; nothing is stored or sent. Input is validated as for creation.',
  access: 'write',
  body: WebhookDraft,
  success: { status: 200, description: 'The request as it would be sent', schema: WebhookPreview },
} as const satisfies Operation;
