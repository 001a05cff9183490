import type { ResultsQuery } from '#contract/query.ts';
import type { Result } from '#contract/result.ts';
import { CSV_HEADER, csvRow } from './csv.ts';
import { decodeCursor } from './cursor.ts';
import { decodeRows } from './decode.ts';
import { type Filter, type Position, resolveFilter, selectRows } from './filter.ts';

/** Most results of one export; a longer range is fetched in parts. */
const MAX_STREAMED = 1_000_000;
const ROWS_AT_ONCE = 1_000;

/**
 * An export of results, newest first, in pieces of about a thousand: CSV with a header row (RFC 4180), or a JSON Result a
 * line. `limit` does not apply; `cursor` does. A query that cannot be answered throws before the first piece.
 */
export async function streamResults(
  query: ResultsQuery,
  format: 'csv' | 'ndjson',
): Promise<AsyncGenerator<string, void, undefined>> {
  const after = query.cursor === undefined ? null : decodeCursor(query.cursor);
  return pieces(await resolveFilter(query), after, format);
}

async function* pieces(filter: Filter, start: Position | null, format: 'csv' | 'ndjson'): AsyncGenerator<string, void> {
  const line = format === 'csv' ? csvRow : jsonLine;
  if (format === 'csv') yield CSV_HEADER;
  let after = start;
  for (let sent = 0; sent < MAX_STREAMED; ) {
    const rows = await selectRows(filter, after, Math.min(ROWS_AT_ONCE, MAX_STREAMED - sent));
    const last = rows.at(-1);
    if (!last) return;
    yield (await decodeRows(rows)).map(line).join('');
    after = { startedAt: last.started_at.getTime(), id: last.id };
    sent += rows.length;
  }
}

function jsonLine(result: Result): string {
  return `${JSON.stringify(result)}\n`;
}
