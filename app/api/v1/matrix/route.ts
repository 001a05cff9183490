import { getMatrix } from '#contract/operations/statistics.ts';
import { queryMatrix } from '#server/figures/matrix.ts';
import { handle, resource } from '#server/http/http.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(getMatrix, ({ query }) => queryMatrix(query)),
);
