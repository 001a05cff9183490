import { getVantage as get, deleteVantage as remove, updateVantage as update } from '#contract/operations/vantages.ts';
import { authorise } from '#server/access/access.ts';
import { handle, resource } from '#server/http/http.ts';
import { deleteVantage, getVantage, updateVantage } from '#server/vantages/vantages.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(get, ({ params }) => getVantage(params.id)),
  handle(update, ({ params, body, caller, request }) => {
    if (body.mayHoldSecrets) authorise(caller, 'admin', request);
    return updateVantage(params.id, body);
  }),
  handle(remove, ({ params }) => deleteVantage(params.id)),
);
