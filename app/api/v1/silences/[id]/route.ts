import { getSilence as get, deleteSilence as remove, updateSilence as update } from '#contract/operations/silences.ts';
import { handle, resource } from '#server/http/route.ts';
import { deleteSilence, getSilence, updateSilence } from '#server/silences.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(get, ({ params }) => getSilence(params.id)),
  handle(update, ({ params, body }) => updateSilence(params.id, body)),
  handle(remove, ({ params }) => deleteSilence(params.id)),
);
