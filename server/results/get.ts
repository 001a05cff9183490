import type { Result } from '#contract/result.ts';
import { getPool } from '#server/database/database.ts';
import { ServiceError } from '#server/environment/errors.ts';
import type { ResultRow } from './columns.ts';
import { decodeRows } from './decode.ts';
import { followersOf } from './followers.ts';

/** One result with all its evidence. Throws `not_found`. */
export async function getResult(id: string): Promise<Result> {
  const { rows } = await getPool().query<ResultRow>(
    `select r.*, e.evidence from result r
      left join result_evidence e on e.target_id = r.target_id and e.started_at = r.started_at and e.id = r.id
      where r.id = $1 limit 1`,
    [id],
  );
  const [result] = await decodeRows(rows);
  if (!result)
    throw new ServiceError('not_found', `there is no result ${id}`, [{ field: 'id', message: 'is unknown' }]);
  return result;
}

/** The same with the ids of the results that followed it, where any did. Throws `not_found`. */
export async function getResultAndFollowers(id: string): Promise<Result & { followers?: string[] }> {
  const [result, followers] = await Promise.all([getResult(id), followersOf(id)]);
  return followers.length === 0 ? result : { ...result, followers };
}

/** A result with the others of its run, itself among them: the main one first, then its followers in their order. */
export async function getRun(result: Result): Promise<Result[]> {
  const mainId = result.mainId ?? result.id;
  const ids = [mainId, ...(await followersOf(mainId))];
  const others = await Promise.all(ids.filter((id) => id !== result.id).map(findResult));
  return [...others.flatMap((other) => other ?? []), result].toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
}

/** A main result may be past its retention, or never have been accepted. */
async function findResult(id: string): Promise<Result | null> {
  try {
    return await getResult(id);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return null;
    throw error;
  }
}
