import type { PoolClient } from 'pg';
import { slotSeconds } from '#analysis/detection/parameters.ts';
import type { Prisma } from '#prisma/generated/client.ts';
import { isCommittedEverywhere } from '#server/database/cluster.ts';
import { getPool } from '#server/database/database.ts';

// Results that come after the detector has consumed their time (a prober sends its spool). The process that stores them notes,
// in the same transaction, which half hours of which targets got them, so that a note is there if and only if its results are.
// The detector reads notes, then all results of such a half hour again, and takes a note away in the transaction that writes the
// tick it has made of them.

/**
 * Results that are older when they are stored may have been missed: the detector waits for 60 s at most after their time. The difference
 * is for what lies between the look at the clock and the end of the transaction, and for clocks that differ.
 */
const NOTED_AFTER_SECONDS = 45;
/** Notes that are read at once, a row for each batch and half hour. */
const NOTES_AT_ONCE = 2_000;

/**
 * Notes in the transaction that stores results which of them may be late: those that are old, and those taken before `passed` (ms since
 * 1970), which the detector may have gone past. In the steady state it does nothing.
 */
export async function noteLate(
  client: PoolClient,
  results: readonly { targetId: string; startedAt: string }[],
  { passed = null, now = Date.now() }: { passed?: number | null; now?: number } = {},
): Promise<void> {
  const before = Math.max(passed ?? 0, now - NOTED_AFTER_SECONDS * 1_000 + 1);
  const bySlot = new Map<number, Set<string>>();
  for (const { targetId, startedAt } of results) {
    const at = Date.parse(startedAt);
    if (at >= before) continue;
    const slot = Math.floor(at / 1_000 / slotSeconds);
    bySlot.set(slot, (bySlot.get(slot) ?? new Set()).add(targetId));
  }
  if (bySlot.size === 0) return;
  const rows = [...bySlot].map(([slot, targetIds]) => ({ slot, target_ids: [...targetIds] }));
  await client.query(
    `insert into detector_late (slot, target_id, target_ids)
      select slot, target_ids[1], target_ids from json_to_recordset($1) as new (slot int, target_ids uuid[])`,
    [JSON.stringify(rows)],
  );
}

/** A half hour with late results: its targets, and the notes that say so. */
export type LateNotes = { slot: number; targetIds: string[]; notes: string[] };

/** The half hours before `slot` with late results, in the order in which the first of these came. */
export async function readLate(slot: number): Promise<LateNotes[]> {
  const { rows } = await getPool().query<{ id: string; slot: number; targets: string[] }>(
    `select id, slot, target_ids as targets from detector_late
      where slot < $1 and ${isCommittedEverywhere('detector_late')} order by id limit ${NOTES_AT_ONCE}`,
    [slot],
  );
  return Array.from(
    Map.groupBy(rows, (row) => row.slot),
    ([own, same]) => ({
      slot: own,
      targetIds: [...new Set(same.flatMap(({ targets }) => targets))].sort(),
      notes: same.map(({ id }) => id),
    }),
  );
}

/** Takes notes away, in the transaction that writes what was made of them. */
export async function dropNotes(db: Prisma.TransactionClient, notes: readonly string[]): Promise<void> {
  await db.$executeRaw`delete from detector_late where id = any(${notes}::bigint[])`;
}

/** Takes away the notes of half hours before `slot`: of these nothing is kept any more, or not all results are there. */
export async function dropNotesBefore(slot: number): Promise<void> {
  await getPool().query('delete from detector_late where slot < $1', [slot]);
}

/** Takes away the notes of half hours from `slot` on: what they are of has not been consumed, and will be read with the others. */
export async function dropNotesSince(slot: number): Promise<void> {
  await getPool().query('delete from detector_late where slot >= $1', [slot]);
}
