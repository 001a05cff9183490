import { ingestResults } from '#contract/operations/prober.ts';
import { handle, resource } from '#server/http/route.ts';
import { ingestBatch } from '#server/ingest.ts';
import { countIngest } from '#server/metrics.ts';
import { noteContact } from '#server/probers.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(ingestResults, async ({ prober, body }) => {
    await noteContact(prober.id, body.sentAt);
    const report = await ingestBatch(prober, body);
    countIngest(report);
    return report;
  }),
);
