import { getTarget as get, deleteTarget as remove, updateTarget as update } from '#contract/operations/targets.ts';
import { viewerOf } from '#server/access/access.ts';
import { handle, resource } from '#server/http/http.ts';
import { deleteTarget, getTarget, updateTarget } from '#server/targets/targets.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(get, ({ params, caller }) => getTarget(params.id, viewerOf(caller))),
  handle(update, ({ params, body }) => updateTarget(params.id, body)),
  handle(remove, ({ params }) => deleteTarget(params.id)),
);
