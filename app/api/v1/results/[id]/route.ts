import { getResult as get } from '#contract/operations/results.ts';
import { viewerOf } from '#server/access/access.ts';
import { handle, resource } from '#server/http/http.ts';
import { getResultAndFollowers } from '#server/results/results.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(get, ({ params, caller }) => getResultAndFollowers(params.id, viewerOf(caller))),
);
