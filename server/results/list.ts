import type { Page } from '#contract/problem.ts';
import type { ResultsQuery } from '#contract/query.ts';
import type { Result } from '#contract/result.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { decodeRows } from './decode.ts';
import { resolveFilter, selectRows } from './filter.ts';

/**
 * A page of results, newest first. Throws `not_found` for an unknown target and `invalid` for a cursor that is not ours.
 * Results that arrive while somebody pages shift nothing: a cursor is a place in the order, not a count.
 */
export async function listResults(query: ResultsQuery): Promise<Page<Result>> {
  const after = query.cursor === undefined ? null : decodeCursor(query.cursor);
  const filter = await resolveFilter(query);
  const rows = await selectRows(filter, after, query.limit + 1);
  const shown = rows.slice(0, query.limit);
  const last = shown.at(-1);
  const more = rows.length > query.limit && last;
  return {
    data: await decodeRows(shown),
    nextCursor: more ? encodeCursor({ startedAt: last.started_at.getTime(), id: last.id }) : null,
  };
}
