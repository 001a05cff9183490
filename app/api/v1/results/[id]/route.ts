import { getResult as get } from '#contract/operations.ts';
import { handle, resource } from '#server/http/route.ts';
import { getResult } from '#server/results/get.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(handle(get, ({ params }) => getResult(params.id)));
