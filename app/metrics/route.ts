import { getMetrics } from '#contract/operations/system.ts';
import { handle, resource } from '#server/http/http.ts';
import { scrape } from '#server/monitoring/scrape.ts';

const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(getMetrics, async ({ request }) => new Response(await scrape(request), { headers })),
);
