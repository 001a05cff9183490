import { getPrisma } from '#server/database/database.ts';
import { loadCheckpoint } from '#server/detection/checkpoint.ts';
import { consumeTick, inTurns } from '#server/detection/consume.ts';
import { Engine } from '#server/detection/detection.ts';
import { forgetAll, tickAfter } from '#server/detection/log.ts';
import { noWork, type Work } from '#server/detection/status.ts';
import { log } from '#server/environment/log.ts';
import { endForgotten } from '#server/incidents/settle.ts';

/** What a tick writes takes no longer, ms: thousands of detections at once. */
export const TRANSACTION = { timeout: 300_000, maxWait: 10_000 };
/** Shortest stretch that is consumed at once, seconds. */
export const SHORTEST_TICK = 60;

/** All that a leader has in its memory. `position`: up to which instant results were consumed, seconds since 1970. */
export type Memory = {
  engine: Engine;
  seq: number;
  position: number | null;
  checkpointed: { seq: number; position: number };
  settled: number;
  span: number;
  /** There is history to catch up with, or was until just now. */
  behind: boolean;
  /** The state was of a version that cannot be gone on with: the past is to be processed again. */
  isOfOtherVersion: boolean;
  work: Work;
};

/** The checkpoint, and the log since played again: what it raised is in the database with its tick. */
export async function remember(): Promise<Memory> {
  const checkpoint = await loadCheckpoint();
  const { seq, to } = checkpoint ?? { seq: 0, to: null };
  const memory: Memory = {
    engine: checkpoint?.hasCurrentVersion ? await inTurns(Engine.resuming(checkpoint.state)) : new Engine(),
    seq,
    position: to,
    checkpointed: { seq, position: to ?? 0 },
    settled: 0,
    span: SHORTEST_TICK,
    behind: true,
    isOfOtherVersion: checkpoint !== null && !checkpoint.hasCurrentVersion,
    work: noWork(),
  };
  for (let tick = await tickAfter(seq); tick !== null; tick = await tickAfter(tick.seq)) {
    if (tick.seq !== memory.seq + 1 && !memory.isOfOtherVersion) {
      log.error(
        { from: memory.seq + 1, to: tick.seq - 1 },
        'ticks are missing in the log of detection: it begins without a state',
      );
      await forgetAll(seq);
      return await remember();
    }
    if (!memory.isOfOtherVersion) await consumeTick(memory, tick);
    memory.seq = tick.seq;
    memory.position = tick.to;
    if (memory.checkpointed.position === 0) memory.checkpointed.position = tick.from;
  }
  if (!memory.isOfOtherVersion) await forgetEnded(memory);
  log.info({ checkpoint: seq, replayed: memory.seq - seq, position: memory.position }, 'detection goes on');
  return memory;
}

/** Ends what incidents have under way and the engine does not. */
export async function forgetEnded({ engine, position }: Memory): Promise<void> {
  const at = position ?? Math.floor(Date.now() / 1_000);
  await getPrisma().$transaction((db) => endForgotten(db, engine.open(), at, new Date()), TRANSACTION);
}
