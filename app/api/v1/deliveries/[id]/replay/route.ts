import { replayDelivery as replay } from '#contract/operations/deliveries.ts';
import { handle, resource } from '#server/http/http.ts';
import { replayDelivery } from '#server/webhooks/deliveries.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(replay, ({ params }) => replayDelivery(params.id)),
);
