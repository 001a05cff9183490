import { getMetrics } from '#contract/operations/system.ts';
import { detectionMetrics } from '#server/detection/metrics.ts';
import { identify, refuseBadKey } from '#server/http/caller.ts';
import { handle, resource } from '#server/http/route.ts';
import { processMetrics, targetMetrics } from '#server/metrics.ts';

const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(getMetrics, async ({ request }) => {
    const caller = await identify(request);
    refuseBadKey(caller);
    const parts = [processMetrics(), ...(caller.scope === null ? [] : [targetMetrics(), detectionMetrics()])];
    return new Response((await Promise.all(parts)).join('\n'), { headers });
  }),
);
