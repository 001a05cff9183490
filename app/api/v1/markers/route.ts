import { createMarker as create, listMarkers as list } from '#contract/operations/markers.ts';
import { nameOf } from '#server/http/caller.ts';
import { handle, resource } from '#server/http/route.ts';
import { createMarker, listMarkers } from '#server/markers.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(list, ({ query }) => listMarkers(query)),
  handle(create, ({ body, caller }) => createMarker(body, nameOf(caller))),
);
