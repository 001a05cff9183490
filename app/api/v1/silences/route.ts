import { createSilence as create, listSilences as list } from '#contract/operations/silences.ts';
import { nameOf } from '#server/http/caller.ts';
import { handle, resource } from '#server/http/route.ts';
import { createSilence, listSilences } from '#server/silences.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(list, ({ query }) => listSilences(query)),
  handle(create, ({ body, caller }) => createSilence(body, nameOf(caller))),
);
