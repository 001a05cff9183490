import { createWebhook as create, listWebhooks as list } from '#contract/operations/webhooks.ts';
import { viewerOf } from '#server/http/caller.ts';
import { handle, resource } from '#server/http/route.ts';
import { createWebhook, listWebhooks } from '#server/webhooks.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(list, ({ query, caller }) => listWebhooks(query, viewerOf(caller))),
  handle(create, ({ body }) => createWebhook(body)),
);
