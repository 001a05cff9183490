import { getMarker as get, deleteMarker as remove } from '#contract/operations/markers.ts';
import { viewerOf } from '#server/access/access.ts';
import { handle, resource } from '#server/http/http.ts';
import { deleteMarker, getMarker } from '#server/markers/markers.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(get, ({ params, caller }) => getMarker(params.id, viewerOf(caller))),
  handle(remove, ({ params }) => deleteMarker(params.id)),
);
