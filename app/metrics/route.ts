import { getMetrics } from '#contract/operations/system.ts';
import { identify, refuseBadKey } from '#server/access/access.ts';
import { detectionMetrics } from '#server/detection/metrics.ts';
import { handle, resource } from '#server/http/http.ts';
import { processMetrics, targetMetrics } from '#server/monitoring/monitoring.ts';

const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(getMetrics, async ({ request }) => {
    const caller = await identify(request);
    refuseBadKey(caller);
    const parts = [processMetrics(), ...(caller.scope === null ? [] : [targetMetrics(), detectionMetrics()])];
    return new Response((await Promise.all(parts)).join('\n'), { headers });
  }),
);
