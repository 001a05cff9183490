import type { ResultPage } from '#contract/operations/results.ts';
import type { ResultsQuery } from '#contract/query.ts';
import { decodeCursor, encodeCursor, startOfInstant } from './cursor.ts';
import { decodeRows } from './decode.ts';
import { resolveFilter } from './filter.ts';
import { searchRows } from './search.ts';

/**
 * A page of results, newest first. Throws `not_found` for an unknown target and `invalid` for a cursor that is not ours.
 * A search that took too long ends early: the page is short, `searchedUntil` says how far it came, and its cursor goes on
 * from there. Results that arrive while somebody pages shift nothing: a cursor is a place in the order, not a count.
 */
export async function listResults(query: ResultsQuery): Promise<ResultPage> {
  const after = query.cursor === undefined ? null : decodeCursor(query.cursor);
  const filter = await resolveFilter(query);
  const { rows, searchedUntil } = await searchRows(filter, after, query.limit + 1);
  const shown = rows.slice(0, query.limit);
  const data = await decodeRows(shown);
  if (searchedUntil !== null) {
    const nextCursor = encodeCursor(startOfInstant(searchedUntil));
    return { data, nextCursor, searchedUntil: new Date(searchedUntil).toISOString() };
  }
  const last = shown.at(-1);
  const more = rows.length > query.limit && last;
  return {
    data,
    nextCursor: more ? encodeCursor({ startedAt: last.started_at.getTime(), id: last.id }) : null,
    searchedUntil: null,
  };
}
