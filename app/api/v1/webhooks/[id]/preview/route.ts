import { previewWebhook as preview } from '#contract/operations/webhooks.ts';
import { previewWebhook } from '#server/deliveries/preview.ts';
import { viewerOf } from '#server/http/caller.ts';
import { handle, resource } from '#server/http/route.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(preview, ({ params, query, caller }) => previewWebhook(params.id, query, viewerOf(caller))),
);
