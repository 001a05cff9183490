import { getDelivery as get } from '#contract/operations/deliveries.ts';
import { getDelivery } from '#server/deliveries/list.ts';
import { viewerOf } from '#server/http/caller.ts';
import { handle, resource } from '#server/http/route.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(get, ({ params, caller }) => getDelivery(params.id, viewerOf(caller))),
);
