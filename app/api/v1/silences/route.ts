import { createSilence as create, listSilences as list } from '#contract/operations/silences.ts';
import { nameOf } from '#server/access/access.ts';
import { handle, resource } from '#server/http/http.ts';
import { createSilence, listSilences } from '#server/incidents/silences.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(list, ({ query }) => listSilences(query)),
  handle(create, ({ body, caller }) => createSilence(body, nameOf(caller))),
);
