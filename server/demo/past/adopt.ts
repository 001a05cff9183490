import { getPrisma } from '#server/database/database.ts';
import { lock } from '#server/database/lock.ts';
import { saveCheckpoint } from '#server/detection/checkpoint.ts';
import { newestSeq } from '#server/detection/log.ts';
import { oldestSample } from '#server/detection/read-samples.ts';

const TIMEOUT_MS = 60_000;

/**
 * So long after the demo was made its machine is still starting: a page is opened, the past is loaded, and handshakes take
 * longer than ever after. The live detector begins behind that; seconds.
 */
export const SETTLING = 75;

/**
 * Puts `state`, what a detector knows at `to` (epoch seconds), the end of the past, in place of what the live detector
 * learnt since. That one goes on from `from`: it consumes again what has come since, and tells what it then finds. Says
 * whether it was done: not where anything was measured before `to`, which the state has not seen.
 */
export async function adopt(
  state: readonly Uint8Array[],
  { to, from }: { to: number; from: number },
): Promise<boolean> {
  const oldest = await oldestSample(0);
  const isAll = oldest === null || oldest >= to;
  await getPrisma().$transaction(
    async (db) => {
      if (isAll) {
        // No tick is added meanwhile; a process that wants to afterwards finds that its own state is out of date.
        await lock(db, 'detector_tick');
        const seq = (await newestSeq(db)) + 1;
        await saveCheckpoint({ seq, to: from, state });
        await db.$executeRaw`delete from detector_tick where seq < ${seq}`;
      }
      await db.$executeRaw`
        update setting set value = value || '{"learnt": true}', updated_at = now() where key = 'demo_past'`;
    },
    { timeout: TIMEOUT_MS },
  );
  return isAll;
}
