import { previewWebhookDraft } from '#contract/operations/webhooks.ts';
import { handle, resource } from '#server/http/http.ts';
import { previewDraft } from '#server/webhooks/preview.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(previewWebhookDraft, ({ body }) => previewDraft(body)),
);
