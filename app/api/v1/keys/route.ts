import { createKey as create, listKeys as list } from '#contract/operations/access.ts';
import { handle, resource } from '#server/http/route.ts';
import { createKey, listKeys } from '#server/keys.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(list, ({ query }) => listKeys(query)),
  handle(create, ({ body }) => createKey(body)),
);
