import { listDeliveries as list } from '#contract/operations/deliveries.ts';
import { handle, resource } from '#server/http/http.ts';
import { listDeliveries } from '#server/webhooks/deliveries.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(list, ({ params, query }) => listDeliveries(params.id, query)),
);
