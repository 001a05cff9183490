import { getPool } from '#server/database/database.ts';

/** How long a message that is over is kept with its log, in days. */
export const KEPT_DAYS = 30;

/** Most rows of one go; the rest is for the next. */
const BATCH = 10_000;

/** Deletes messages that were over long ago, with their attempts. Returns how many. */
export async function dropOldDeliveries(now = new Date()): Promise<number> {
  const { rowCount } = await getPool().query(
    `delete from delivery where id in (
       select id from delivery where status <> 'pending' and created_at < $1 limit $2)`,
    [new Date(now.getTime() - KEPT_DAYS * 86_400_000), BATCH],
  );
  return rowCount ?? 0;
}
