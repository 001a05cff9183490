import { getSeries } from '#contract/operations/statistics.ts';
import { handle, resource } from '#server/http/route.ts';
import { querySeries } from '#server/series.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(getSeries, ({ query }) => querySeries(query)),
);
