import { getWebhook as get, deleteWebhook as remove, updateWebhook as update } from '#contract/operations/webhooks.ts';
import { viewerOf } from '#server/access/access.ts';
import { handle, resource } from '#server/http/http.ts';
import { deleteWebhook, getWebhook, updateWebhook } from '#server/webhooks/webhooks.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(get, ({ params, caller }) => getWebhook(params.id, viewerOf(caller))),
  handle(update, ({ params, body }) => updateWebhook(params.id, body)),
  handle(remove, ({ params }) => deleteWebhook(params.id)),
);
