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

/** Rows are read as they are sent: an export of a million takes as much memory as one of a thousand. */
export async function downloadResults(
  query: ResultsQuery,
  format: 'csv' | 'ndjson',
  viewer: Viewer,
): Promise<Response> {
  return download(await inPieces(await streamResults(query, format, viewer)), `results.${format}`);
}

/**
 * Text, or its bytes, as it is made: a piece whenever the one before was taken. The first is made before the answer begins: what fails so
 * early is told as a problem.
 */
export async function inPieces(
  pieces: AsyncGenerator<string | Uint8Array, void, void>,
): Promise<ReadableStream<Uint8Array>> {
  let ahead: IteratorResult<string | Uint8Array, void> | null = await pieces.next();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = ahead ?? (await pieces.next());
      ahead = null;
      if (done) controller.close();
      else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value);
    },
    async cancel() {
      await pieces.return();
    },
  });
}
