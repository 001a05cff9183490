import { MAX_DURATION_MS } from '#contract/bounds.ts';
import { getPool } from '#server/database/database.ts';

/** Where the followers of a main result are, in ms since 1970: they run right after it. */
export type FollowSpan = { targetId: string; from: number; to: number };

/** The span after a result, or null where it is unknown. */
export async function followSpan(mainId: string): Promise<FollowSpan | null> {
  const { rows } = await getPool().query<{ target_id: string; started_at: Date }>(
    'select target_id, started_at from result where id = $1 limit 1',
    [mainId],
  );
  const [main] = rows;
  if (!main) return null;
  const from = main.started_at.getTime();
  return { targetId: main.target_id, from, to: from + MAX_DURATION_MS };
}

/** Ids of the results that followed a main one, in the order in which they ran. */
export async function followersOf(mainId: string): Promise<string[]> {
  const span = await followSpan(mainId);
  if (span === null) return [];
  const { rows } = await getPool().query<{ id: string }>(
    `select id from result where target_id = $1 and started_at >= $2 and started_at < $3 and main_id = $4
      order by started_at, id`,
    [span.targetId, new Date(span.from), new Date(span.to), mainId],
  );
  return rows.map((row) => row.id);
}
