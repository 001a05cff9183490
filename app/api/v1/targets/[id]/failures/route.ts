import { getFailures } from '#contract/operations/statistics.ts';
import { queryFailures } from '#server/figures/failures.ts';
import { handle, resource } from '#server/http/http.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(getFailures, ({ params, query }) => queryFailures(params.id, query)),
);
