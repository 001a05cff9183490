import { getPool } from '#server/database/database.ts';
import { ServiceError } from '#server/environment/errors.ts';

/** A target as charts need it. */
export type WatchedTarget = { id: string; demo: boolean };

/** The target, unless it is unknown or deleted: then `not_found`, which blames the parameter that named it. */
export async function targetRef(id: string, field: 'target' | 'id' = 'target'): Promise<WatchedTarget> {
  const { rows } = await getPool().query<WatchedTarget>(
    'select id, demo from target where id = $1 and deleted_at is null',
    [id],
  );
  const [target] = rows;
  if (!target) throw new ServiceError('not_found', `there is no target ${id}`, [{ field, message: 'is unknown' }]);
  return target;
}
