import { testWebhook as test } from '#contract/operations/webhooks.ts';
import { handle, resource } from '#server/http/http.ts';
import { testWebhook } from '#server/webhooks/deliveries.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(test, ({ params }) => testWebhook(params.id)),
);
