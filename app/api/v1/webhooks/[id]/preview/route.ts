import { previewWebhook as preview } from '#contract/operations/webhooks.ts';
import { viewerOf } from '#server/access/access.ts';
import { handle, resource } from '#server/http/http.ts';
import { previewWebhook } from '#server/webhooks/preview.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(preview, ({ params, query, caller }) => previewWebhook(params.id, query, viewerOf(caller))),
);
