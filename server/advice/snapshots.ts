import { z } from 'zod';
import { ADVICE_CODES, Waste } from '#contract/advice.ts';
import { getPool } from '#server/database/database.ts';
import { log } from '#server/environment/log.ts';
import { type Snapshot, summariseAdvice } from './advice.ts';

/** How old (seconds) a snapshot may be before it is made again; of a target with few results yet. */
const FRESH_SECONDS = 900;
const YOUNG_SECONDS = 30;
const FEW_RESULTS = 50;
/** A snapshot that is not renewed is not shown for ever. */
const SHOWN_SECONDS = 7_200;
/** So much work (ms) is done in one go. */
const BUDGET_MS = 500;

const Codes = z.array(z.object({ code: z.enum(ADVICE_CODES), roundTrips: z.number() }));

/**
 * Makes the snapshots that are due, the oldest first, as many as fit the budget, until the signal. Any number of processes may
 * do so: the process that claims a target does it.
 */
export async function refreshSnapshots(signal?: AbortSignal): Promise<number> {
  const giveUpAt = performance.now() + BUDGET_MS;
  let made = 0;
  while (!signal?.aborted && performance.now() < giveUpAt) {
    const targetId = await claimNext();
    if (targetId === null) break;
    try {
      await writeSnapshot(targetId);
    } catch (error) {
      // The next is not to wait for it; it is due again in a while.
      log.warn({ err: error, target: targetId }, 'advice of a target cannot be made');
    }
    made += 1;
  }
  return made;
}

/** The target whose snapshot is the most overdue, claimed by its time; null where none is due. */
async function claimNext(): Promise<string | null> {
  const { rows } = await getPool().query<{ id: string }>(
    `insert into target_advice (target_id, at, results, codes)
      select t.id, now(), 0, '[]' from target t left join target_advice a on a.target_id = t.id
        where t.deleted_at is null and t.enabled and (a.at is null or a.at < ${dueBefore('a')})
        order by a.at nulls first, t.id limit 1
      on conflict (target_id) do update set at = excluded.at where target_advice.at < ${dueBefore('target_advice')}
      returning target_id as id`,
  );
  return rows[0]?.id ?? null;
}

const dueBefore = (table: string) =>
  `now() - make_interval(secs => case when ${table}.results < ${FEW_RESULTS} then ${YOUNG_SECONDS} else ${FRESH_SECONDS} end)`;

async function writeSnapshot(targetId: string): Promise<void> {
  const { waste, codes, results } = await summariseAdvice(targetId);
  await getPool().query('update target_advice set results = $2, waste = $3, codes = $4 where target_id = $1', [
    targetId,
    results,
    waste,
    JSON.stringify(codes),
  ]);
}

/** The snapshots of targets, of one or all, by their ids. */
export async function readSnapshots(targetId: string | null = null): Promise<Map<string, Snapshot>> {
  const { rows } = await getPool().query<{ id: string; waste: unknown; codes: unknown }>(
    `select target_id as id, waste, codes from target_advice
      where at > now() - make_interval(secs => ${SHOWN_SECONDS}) and ($1::uuid is null or target_id = $1)`,
    [targetId],
  );
  return new Map(
    rows.map(({ id, waste, codes }) => [id, { waste: Waste.nullable().parse(waste), codes: Codes.parse(codes) }]),
  );
}
