import { getIncident as get, updateIncident as update } from '#contract/operations/incidents.ts';
import { nameOf } from '#server/access/access.ts';
import { handle, resource } from '#server/http/http.ts';
import { updateIncident } from '#server/incidents/by-hand.ts';
import { getIncident } from '#server/incidents/incidents.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(get, ({ params }) => getIncident(params.id)),
  handle(update, ({ params, body, caller }) => updateIncident(params.id, body, nameOf(caller))),
);
