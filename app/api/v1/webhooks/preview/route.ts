import { previewWebhookDraft } from '#contract/operations/webhooks.ts';
import { previewDraft } from '#server/deliveries/preview.ts';
import { handle, resource } from '#server/http/route.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(previewWebhookDraft, ({ body }) => previewDraft(body)),
);
