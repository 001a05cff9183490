import { createComparison as create, listComparisons as list } from '#contract/operations/comparisons.ts';
import { nameOf } from '#server/access/access.ts';
import { createComparison, listComparisons } from '#server/comparisons/comparisons.ts';
import { handle, resource } from '#server/http/http.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(list, ({ query }) => listComparisons(query)),
  handle(create, ({ body, caller }) => createComparison(body, nameOf(caller))),
);
