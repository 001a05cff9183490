import { getWebhook as get, deleteWebhook as remove, updateWebhook as update } from '#contract/operations/webhooks.ts';
import { viewerOf } from '#server/http/caller.ts';
import { handle, resource } from '#server/http/route.ts';
import { deleteWebhook, getWebhook, updateWebhook } from '#server/webhooks.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(get, ({ params, caller }) => getWebhook(params.id, viewerOf(caller))),
  handle(update, ({ params, body }) => updateWebhook(params.id, body)),
  handle(remove, ({ params }) => deleteWebhook(params.id)),
);
