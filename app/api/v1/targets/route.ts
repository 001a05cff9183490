import { createTarget as create, listTargets as list } from '#contract/operations/targets.ts';
import { viewerOf } from '#server/access/access.ts';
import { handle, resource } from '#server/http/http.ts';
import { createTarget, listTargets } from '#server/targets/targets.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(list, ({ query, caller }) => listTargets(query, viewerOf(caller))),
  handle(create, ({ body }) => createTarget(body)),
);
