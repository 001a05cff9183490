import { createMarker as create, listMarkers as list } from '#contract/operations/markers.ts';
import { nameOf, viewerOf } from '#server/access/access.ts';
import { handle, resource } from '#server/http/http.ts';
import { createMarker, listMarkers } from '#server/markers/markers.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(list, ({ query, caller }) => listMarkers(query, viewerOf(caller))),
  handle(create, ({ body, caller }) => createMarker(body, nameOf(caller))),
);
