import { getAdvice } from '#contract/operations/statistics.ts';
import { queryAdvice } from '#server/advice/advice.ts';
import { handle, resource } from '#server/http/http.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(getAdvice, ({ params, query }) => queryAdvice(params.id, query)),
);
