import { getReady } from '#contract/operations/system.ts';
import { ServiceError } from '#server/environment/errors.ts';
import { handle, resource } from '#server/http/http.ts';
import { checkReady } from '#server/monitoring/health.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(getReady, async ({ query }) => {
    const readiness = await checkReady(query.part);
    if (!readiness.ready) throw new ServiceError('unavailable', readiness.reason ?? 'Not ready.');
    return readiness;
  }),
);
