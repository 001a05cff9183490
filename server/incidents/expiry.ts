import { getPool, inTransaction } from '#server/database/database.ts';
import { readRetentionDays } from '#server/database/retention.ts';

const DAY_MS = 86_400_000;
/** Most rows of one go; the rest is for the next. */
const BATCH = 10_000;

/** Deletes incidents that were resolved longer ago than they are kept, with their timelines, and what no longer holds of persons' words. Returns how many. */
export async function dropOldIncidents(now = new Date()): Promise<number> {
  const { incidentDays } = await readRetentionDays();
  return await inTransaction(async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `delete from incident where id in (
        select id from incident where status = 'resolved' and resolved_at < $1 limit $2) returning id`,
      [new Date(now.getTime() - incidentDays * DAY_MS), BATCH],
    );
    await client.query('delete from incident_event where incident_id = any($1::uuid[])', [rows.map(({ id }) => id)]);
    await client.query('delete from lowered_sensitivity where ends_at <= $1', [now]);
    return rows.length;
  });
}

/** Deletes detections older than they are kept, but for those of incidents that are still there. Returns how many. */
export async function dropOldDetections(now = new Date()): Promise<number> {
  const { detectionDays } = await readRetentionDays();
  const { rowCount } = await getPool().query(
    `delete from detection where id in (
      select d.id from detection d left join incident_detection i on i.detection_id = d.id
      where d.at < $1 and i.detection_id is null limit $2)`,
    [new Date(now.getTime() - detectionDays * DAY_MS), BATCH],
  );
  return rowCount ?? 0;
}
