import { listRegressions as list } from '#contract/operations/incidents.ts';
import { handle, resource } from '#server/http/http.ts';
import { listRegressions } from '#server/incidents/incidents.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(handle(list, ({ query }) => listRegressions(query)));
