import { getDelivery as get } from '#contract/operations/deliveries.ts';
import { viewerOf } from '#server/access/access.ts';
import { handle, resource } from '#server/http/http.ts';
import { getDelivery } from '#server/webhooks/deliveries.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(get, ({ params, caller }) => getDelivery(params.id, viewerOf(caller))),
);
