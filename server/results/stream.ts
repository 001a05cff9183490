import type { ExportFormat, ResultsQuery } from '#contract/query.ts';
import type { Viewer } from '#server/access/secret-settings.ts';
import { runAs } from '#server/database/database.ts';
import { inLane } from '#server/database/lane.ts';
import type { ResultRow } from './columns.ts';
import { BOM, CSV_HEADER, CSV_NEEDS, csvRows } from './csv.ts';
import { decodeCursor, startOfInstant } from './cursor.ts';
import { DECODED_AT_ONCE, decodeRows } from './decode.ts';
import { type Filter, type Position, type ResultsFilter, resolveFilter } from './filter.ts';
import { ParquetFile } from './parquet.ts';
import { SEARCH_MS, searchRows } from './search.ts';

/** What an export is asked for. */
export type ResultsAsked = ResultsFilter & Pick<ResultsQuery, 'bom' | 'cursor'>;

/** Results that are searched for at once: a block of each target is opened for them. */
const ROWS_AT_ONCE = 5_000;

/**
 * An export of results, newest first, without a limit, in pieces: of about a hundred as CSV with a header row (RFC 4180) or as a JSON
 * Result a line, of some thousand as Parquet. `cursor` says where it begins. A query that cannot be answered throws before the first piece; a
 * failure later is thrown in place of a piece, and must not look like the end.
 */
export async function streamResults(
  query: ResultsAsked,
  format: ExportFormat,
  viewer: Viewer = 'reader',
): Promise<AsyncGenerator<string | Uint8Array, void, undefined>> {
  const after = query.cursor === undefined ? null : decodeCursor(query.cursor);
  const filter = await runAs('exports', () => resolveFilter(query));
  return pieces(filter, after, format, query.bom === true, viewer);
}

async function* pieces(
  filter: Filter,
  start: Position | null,
  format: ExportFormat,
  bom: boolean,
  viewer: Viewer,
): AsyncGenerator<string | Uint8Array, void> {
  const file = format === 'parquet' ? new ParquetFile() : null;
  const linesOf = format === 'csv' ? csvRows : jsonLines;
  const pieceOf = async (rows: ResultRow[]) =>
    file ? file.add(await decodeRows(rows, viewer)) : await linesOf(rows, viewer);
  const needs = format === 'csv' ? CSV_NEEDS : null;
  if (format === 'csv') yield `${bom ? BOM : ''}${CSV_HEADER}`;
  let after = start;
  for (;;) {
    const { rows, searchedUntil } = await runAs('exports', () =>
      searchRows(filter, after, ROWS_AT_ONCE, SEARCH_MS, needs),
    );
    for (let first = 0; first < rows.length; first += DECODED_AT_ONCE) {
      const some = rows.slice(first, first + DECODED_AT_ONCE);
      const piece = await runAs('exports', () => inLane(() => pieceOf(some)));
      if (piece.length > 0) yield piece;
    }
    const last = rows.at(-1);
    if (searchedUntil !== null) after = startOfInstant(searchedUntil);
    else if (last && rows.length === ROWS_AT_ONCE) after = { startedAt: last.started_at.getTime(), id: last.id };
    else break;
  }
  if (file) yield file.end();
}

async function jsonLines(rows: ResultRow[], viewer: Viewer): Promise<string> {
  return (await decodeRows(rows, viewer)).map((result) => `${JSON.stringify(result)}\n`).join('');
}
