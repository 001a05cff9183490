import { getPrisma } from '../database.ts';
import { saveCheckpoint } from '../detection/checkpoint.ts';
import type { Engine } from '../detection/engine.ts';
import { oldestSample, readSamples } from '../detection/samples.ts';
import { vantageLabels } from '../vantage-labels.ts';

const HOUR = 3_600;
const TIMEOUT_MS = 60_000;

/**
 * Puts what `engine` knows at `to` (epoch seconds), the end of the past, in place of what the live detector learnt since:
 * it then knows the demo's lines. What came since is consumed anew; what it raised is stored already. Says whether it was
 * done: not where anything was measured before `to`, which `engine` has not seen.
 */
export async function adopt(engine: Engine, to: number): Promise<boolean> {
  const oldest = await oldestSample(0);
  if (oldest !== null && oldest < to) return false;
  await getPrisma().$transaction(
    async (db) => {
      // No tick is added meanwhile; whoever wants to afterwards finds that its own knowledge is out of date.
      await db.$queryRaw`select pg_advisory_xact_lock(hashtext('detector_tick'))::text`;
      const [ticks, checkpoints] = [
        await db.detectorTick.aggregate({ _max: { seq: true, to: true } }),
        await db.detectorCheckpoint.aggregate({ _max: { seq: true, to: true } }),
      ];
      const position = Math.max(to, ticks._max.to ?? 0, checkpoints._max.to ?? 0);
      await consume(engine, to, position);
      const seq = Math.max(Number(ticks._max.seq ?? 0), Number(checkpoints._max.seq ?? 0)) + 1;
      await saveCheckpoint({ seq, to: position, state: engine.state(), late: 0 });
    },
    { timeout: TIMEOUT_MS },
  );
  return true;
}

async function consume(engine: Engine, from: number, to: number): Promise<void> {
  const vantages = await vantageLabels();
  for (let at = from; at < to; at += HOUR) {
    const range = { from: at, to: Math.min(to, at + HOUR) };
    const read = await readSamples(range.from, range.to);
    const detections = engine.play(engine.prepare({ seq: 0, ...range }, read, vantages));
    while (!detections.next().done);
  }
}
