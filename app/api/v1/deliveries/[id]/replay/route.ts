import { replayDelivery as replay } from '#contract/operations/deliveries.ts';
import { replayDelivery } from '#server/deliveries/replay.ts';
import { handle, resource } from '#server/http/route.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(replay, ({ params }) => replayDelivery(params.id)),
);
