import { listDetections as list } from '#contract/operations/incidents.ts';
import { handle, resource } from '#server/http/http.ts';
import { listDetections } from '#server/incidents/detections.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(handle(list, ({ query }) => listDetections(query)));
