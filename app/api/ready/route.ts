import { getReady } from '#contract/operations/system.ts';
import { ServiceError } from '#server/errors.ts';
import { checkReady } from '#server/health.ts';
import { handle, resource } from '#server/http/route.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(getReady, async () => {
    const readiness = await checkReady();
    if (!readiness.ready) throw new ServiceError('unavailable', readiness.reason ?? 'Not ready.');
    return readiness;
  }),
);
