import { getVantage as get, deleteVantage as remove, updateVantage as update } from '#contract/operations/vantages.ts';
import { handle, resource } from '#server/http/http.ts';
import { deleteVantage, getVantage, updateVantage } from '#server/vantages/vantages.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(get, ({ params }) => getVantage(params.id)),
  handle(update, ({ params, body }) => updateVantage(params.id, body)),
  handle(remove, ({ params }) => deleteVantage(params.id)),
);
