import { listDeliveries as list } from '#contract/operations/deliveries.ts';
import { listDeliveries } from '#server/deliveries/list.ts';
import { handle, resource } from '#server/http/route.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(list, ({ params, query }) => listDeliveries(params.id, query)),
);
