import type { ExportFormat } from '#contract/query.ts';
import type { Viewer } from '#server/access/secret-settings.ts';
import { type ResultsAsked, streamResults } from '#server/results/stream.ts';

const TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
};

/** An answer that browsers keep as a file of this name; its ending says its format. */
export function download(body: BodyInit, name: string, format: ExportFormat): Response {
  return new Response(body, {
    headers: {
      'content-type': TYPES[format],
      'content-disposition': `attachment; filename="${name}.${format}"`,
    },
  });
}

/** Rows are read as they are sent: an export of a million takes as much memory as one of a thousand. */
export async function downloadResults(query: ResultsAsked, format: ExportFormat, viewer: Viewer): Promise<Response> {
  return download(await inPieces(await streamResults(query, format, viewer)), 'results', format);
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
