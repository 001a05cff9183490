import { listIncidents as list } from '#contract/operations/incidents.ts';
import { handle, resource } from '#server/http/http.ts';
import { listIncidents } from '#server/incidents/incidents.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(handle(list, ({ query }) => listIncidents(query)));
