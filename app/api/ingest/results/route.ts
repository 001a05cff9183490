import { BATCH_FORM } from '#contract/ingest.ts';
import { ingestResults } from '#contract/operations/prober.ts';
import { handle, resource } from '#server/http/http.ts';
import { ingestBatch } from '#server/ingest/ingest.ts';
import { countIngest } from '#server/monitoring/monitoring.ts';
import { nextBatchMs } from '#server/monitoring/watching.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(ingestResults, async ({ prober, body }) => {
    const report = await ingestBatch(prober, body);
    countIngest(report);
    return { ...report, batchForm: BATCH_FORM, nextBatchMs: await nextBatchMs() };
  }),
);
