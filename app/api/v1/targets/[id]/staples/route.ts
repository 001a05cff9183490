import { getStaples } from '#contract/operations/statistics.ts';
import { handle, resource } from '#server/http/route.ts';
import { queryStaples } from '#server/staples.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(getStaples, ({ params, query }) => queryStaples(params.id, query)),
);
