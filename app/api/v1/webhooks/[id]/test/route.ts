import { testWebhook as test } from '#contract/operations/webhooks.ts';
import { testWebhook } from '#server/deliveries/replay.ts';
import { handle, resource } from '#server/http/route.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(test, ({ params }) => testWebhook(params.id)),
);
