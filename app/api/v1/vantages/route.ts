import { listVantages as list } from '#contract/operations/vantages.ts';
import { handle, resource } from '#server/http/route.ts';
import { listVantages } from '#server/vantages.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(handle(list, ({ query }) => listVantages(query)));
