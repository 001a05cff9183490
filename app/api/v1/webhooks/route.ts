import { createWebhook as create, listWebhooks as list } from '#contract/operations/webhooks.ts';
import { viewerOf } from '#server/access/access.ts';
import { handle, resource } from '#server/http/http.ts';
import { createWebhook, listWebhooks } from '#server/webhooks/webhooks.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(list, ({ query, caller }) => listWebhooks(query, viewerOf(caller))),
  handle(create, ({ body }) => createWebhook(body)),
);
