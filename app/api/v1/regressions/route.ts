import { listRegressions as list } from '#contract/operations/incidents.ts';
import { handle, resource } from '#server/http/route.ts';
import { listRegressions } from '#server/regressions.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(handle(list, ({ query }) => listRegressions(query)));
