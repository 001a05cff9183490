import type { ResultsQuery } from '#contract/query.ts';
import type { Viewer } from '#server/access/secret-settings.ts';
import { streamResults } from '#server/results/stream.ts';

const TYPES = { csv: 'text/csv; charset=utf-8; header=present', ndjson: 'application/x-ndjson' };

/** An answer that browsers keep as a file of this name; its ending says what it is. */
export function download(body: BodyInit, name: `${string}.${keyof typeof TYPES}`): Response {
  const type = name.endsWith('.csv') ? TYPES.csv : TYPES.ndjson;
  return new Response(body, {
    headers: { 'content-type': type, 'content-disposition': `attachment; filename="${name}"` },
  });
}

/** Rows are read as they are sent: an export of a million costs no more memory than one of a thousand. */
export async function downloadResults(
  query: ResultsQuery,
  format: 'csv' | 'ndjson',
  viewer: Viewer,
): Promise<Response> {
  const pieces = await streamResults(query, format, viewer);
  // Read before the answer begins: what fails so early is told as a problem.
  let ahead: ReturnType<typeof pieces.next> | null = Promise.resolve(await pieces.next());
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await (ahead ?? pieces.next());
      ahead = null;
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await pieces.return();
    },
  });
  return download(body, `results.${format}`);
}
