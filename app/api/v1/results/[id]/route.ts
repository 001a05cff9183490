import { getResult as get } from '#contract/operations/results.ts';
import { handle, resource } from '#server/http/http.ts';
import { getResultAndFollowers } from '#server/results/results.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(get, ({ params }) => getResultAndFollowers(params.id)),
);
