import { getMatrix } from '#contract/operations/statistics.ts';
import { handle, resource } from '#server/http/route.ts';
import { queryMatrix } from '#server/matrix.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(getMatrix, ({ query }) => queryMatrix(query)),
);
