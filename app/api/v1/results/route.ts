import { listResults as list } from '#contract/operations/results.ts';
import type { ResultsQuery } from '#contract/query.ts';
import { viewerOf } from '#server/access/access.ts';
import type { Viewer } from '#server/access/secret-settings.ts';
import { handle, resource } from '#server/http/http.ts';
import { listResults } from '#server/results/results.ts';
import { streamResults } from '#server/results/stream.ts';

const TYPES = { csv: 'text/csv; charset=utf-8; header=present', ndjson: 'application/x-ndjson' };

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(list, ({ query, caller }) =>
    query.format === 'json' ? listResults(query, viewerOf(caller)) : download(query, query.format, viewerOf(caller)),
  ),
);

/** Rows are read as they are sent: an export of a million costs no more memory than one of a thousand. */
async function download(query: ResultsQuery, format: 'csv' | 'ndjson', viewer: Viewer): Promise<Response> {
  const pieces = await streamResults(query, format, viewer);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await pieces.return();
    },
  });
  return new Response(body, {
    headers: { 'content-type': TYPES[format], 'content-disposition': `attachment; filename="results.${format}"` },
  });
}
