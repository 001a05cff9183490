import { getSilence as get, deleteSilence as remove, updateSilence as update } from '#contract/operations/silences.ts';
import { handle, resource } from '#server/http/http.ts';
import { deleteSilence, getSilence, updateSilence } from '#server/incidents/silences.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(get, ({ params }) => getSilence(params.id)),
  handle(update, ({ params, body }) => updateSilence(params.id, body)),
  handle(remove, ({ params }) => deleteSilence(params.id)),
);
