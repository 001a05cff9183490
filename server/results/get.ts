import type { Result } from '#contract/result.ts';
import { getPool } from '../database.ts';
import { ServiceError } from '../errors.ts';
import { decodeRows } from './decode.ts';
import type { ResultRow } from './row.ts';

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
