import { getFailures } from '#contract/operations/statistics.ts';
import { queryFailures } from '#server/failures.ts';
import { handle, resource } from '#server/http/route.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(getFailures, ({ params, query }) => queryFailures(params.id, query)),
);
