import { getMarker as get, deleteMarker as remove } from '#contract/operations/markers.ts';
import { handle, resource } from '#server/http/http.ts';
import { deleteMarker, getMarker } from '#server/markers/markers.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(get, ({ params }) => getMarker(params.id)),
  handle(remove, ({ params }) => deleteMarker(params.id)),
);
