import { getSeries } from '#contract/operations/statistics.ts';
import { querySeries } from '#server/figures/series.ts';
import { handle, resource } from '#server/http/http.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(getSeries, ({ query }) => querySeries(query)),
);
