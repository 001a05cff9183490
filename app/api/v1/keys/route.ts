import { createKey as create, listKeys as list } from '#contract/operations/access.ts';
import { createKey, listKeys } from '#server/access/keys.ts';
import { handle, resource } from '#server/http/http.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(list, ({ query }) => listKeys(query)),
  handle(create, ({ body }) => createKey(body)),
);
