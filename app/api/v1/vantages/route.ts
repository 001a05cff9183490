import { listVantages as list } from '#contract/operations/vantages.ts';
import { handle, resource } from '#server/http/http.ts';
import { listVantages } from '#server/vantages/vantages.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(handle(list, ({ query }) => listVantages(query)));
