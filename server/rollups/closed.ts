import { getPool } from '#server/database/database.ts';
import { rowNumber, TIERS } from './tiers.ts';

/** A minute whose rollups are computed, in minutes since 1970, and the targets that have results in it. */
export type ClosedMinute = { minute: number; targets: string[] };

/** The last of the minutes after `after` up to which all are over and computed; `after` where there is none. Minutes since 1970. */
export async function lastClosed(after: number): Promise<number> {
  const { rows } = await getPool().query<{ openFrom: number; dirty: number | null }>(
    `select open_from as "openFrom", (
        select floor(extract(epoch from min(bucket)) / 60)::int from rollup_dirty
        where step = 60 and bucket > to_timestamp($1::bigint * 60)) as dirty
      from rollup_progress`,
    [after],
  );
  const { openFrom = 0, dirty = null } = rows[0] ?? {};
  return Math.max(after, Math.min(openFrom, dirty ?? openFrom) - 1);
}

/** The minutes after `after` that are over and computed, oldest first: at most the newest `most`. */
export async function closedMinutes(after: number, most: number): Promise<ClosedMinute[]> {
  const last = await lastClosed(after);
  const first = Math.max(after + 1, last - most + 1);
  if (first > last) return [];
  const { rows: known } = await getPool().query<{ id: string }>('select id from target where deleted_at is null');
  const { rows } = await getPool().query<{ minute: number; targetId: string }>(
    `select floor(extract(epoch from bucket) / 60)::int as minute, target_id as "targetId" from ${TIERS[0].table}
      where target_id = any($1::uuid[]) and metric = $2 and bucket >= to_timestamp($3::bigint * 60) and bucket <= to_timestamp($4::bigint * 60)`,
    [known.map(({ id }) => id), rowNumber(null, 'main'), first, last],
  );
  const byMinute = Map.groupBy(rows, ({ minute }) => minute);
  return Array.from({ length: last - first + 1 }, (_, index) => ({
    minute: first + index,
    targets: (byMinute.get(first + index) ?? []).map(({ targetId }) => targetId),
  }));
}
