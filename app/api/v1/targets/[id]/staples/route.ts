import { getStaples } from '#contract/operations/statistics.ts';
import { queryStaples } from '#server/figures/staples.ts';
import { handle, resource } from '#server/http/http.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(getStaples, ({ params, query }) => queryStaples(params.id, query)),
);
