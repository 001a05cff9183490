import { rotateWebhookSecret as rotate } from '#contract/operations/webhooks.ts';
import { handle, resource } from '#server/http/http.ts';
import { rotateSecret } from '#server/webhooks/webhooks.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(rotate, ({ params, body }) => rotateSecret(params.id, body)),
);
