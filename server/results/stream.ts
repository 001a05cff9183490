import type { ResultsQuery } from '#contract/query.ts';
import type { Viewer } from '#server/access/secret-settings.ts';
import { runAs } from '#server/database/database.ts';
import { inLane } from '#server/database/lane.ts';
import type { ResultRow } from './columns.ts';
import { BOM, CSV_HEADER, CSV_NEEDS, csvRows } from './csv.ts';
import { decodeCursor, startOfInstant } from './cursor.ts';
import { DECODED_AT_ONCE, decodeRows } from './decode.ts';
import { type Filter, type Position, resolveFilter } from './filter.ts';
import { SEARCH_MS, searchRows } from './search.ts';

/** Results that are searched for at once: a block of each target is opened for them. */
const ROWS_AT_ONCE = 5_000;

/**
 * An export of results, newest first, in pieces of about a hundred: CSV with a header row (RFC 4180), or a JSON Result a
 * line, without a limit: `limit` does not apply; `cursor` does. A query that cannot be answered throws before the first piece; a
 * failure later is thrown in place of a piece, and must not look like the end.
 */
export async function streamResults(
  query: ResultsQuery,
  format: 'csv' | 'ndjson',
  viewer: Viewer = 'reader',
): Promise<AsyncGenerator<string, void, undefined>> {
  const after = query.cursor === undefined ? null : decodeCursor(query.cursor);
  const filter = await runAs('exports', () => resolveFilter(query));
  return pieces(filter, after, format, query.bom === true, viewer);
}

async function* pieces(
  filter: Filter,
  start: Position | null,
  format: 'csv' | 'ndjson',
  bom: boolean,
  viewer: Viewer,
): AsyncGenerator<string, void> {
  const linesOf = format === 'csv' ? csvRows : jsonLines;
  const needs = format === 'csv' ? CSV_NEEDS : null;
  if (format === 'csv') yield `${bom ? BOM : ''}${CSV_HEADER}`;
  let after = start;
  for (;;) {
    const { rows, searchedUntil } = await runAs('exports', () =>
      searchRows(filter, after, ROWS_AT_ONCE, SEARCH_MS, needs),
    );
    for (let first = 0; first < rows.length; first += DECODED_AT_ONCE) {
      const some = rows.slice(first, first + DECODED_AT_ONCE);
      yield await runAs('exports', () => inLane(() => linesOf(some, viewer)));
    }
    const last = rows.at(-1);
    if (searchedUntil !== null) after = startOfInstant(searchedUntil);
    else if (last && rows.length === ROWS_AT_ONCE) after = { startedAt: last.started_at.getTime(), id: last.id };
    else return;
  }
}

async function jsonLines(rows: ResultRow[], viewer: Viewer): Promise<string> {
  return (await decodeRows(rows, viewer)).map((result) => `${JSON.stringify(result)}\n`).join('');
}
