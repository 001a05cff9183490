import { getPrisma } from '#server/database/database.ts';
import { Checkpoints, loadCheckpoint } from '#server/detection/checkpoint.ts';
import { consumeTick, inTurns } from '#server/detection/consume.ts';
import { Engine } from '#server/detection/detection.ts';
import { dropTicksAfter, newestSeq, tickAfter } from '#server/detection/log.ts';
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
  checkpoints: Checkpoints;
  /** How many times series had been forgotten when the last checkpoint was stored: a difference to that is of the same series. */
  forgotten: number;
  settled: number;
  late: number;
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
    checkpoints: new Checkpoints(),
    forgotten: 0,
    settled: 0,
    late: checkpoint?.late ?? 0,
    span: SHORTEST_TICK,
    behind: true,
    isOfOtherVersion: checkpoint !== null && !checkpoint.hasCurrentVersion,
    work: noWork(),
  };
  for (let tick = await tickAfter(seq); tick !== null; tick = await tickAfter(tick.seq)) {
    if (tick.seq !== memory.seq + 1 && !memory.isOfOtherVersion) {
      await leaveOut(memory, tick.seq);
      break;
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

/**
 * Ticks are missing in the log, as after a checkpoint that cannot be read. Those after the gap name series by unknown indexes:
 * they are deleted, and what they consumed is read again from the results. What was found in them is there already, and is not
 * stored twice.
 */
async function leaveOut(memory: Memory, found: number): Promise<void> {
  const { seq, position } = memory;
  const newest = await newestSeq();
  log.error(
    { from: seq + 1, to: found - 1, dropped: newest - found + 1, position },
    'ticks are missing in the log of detection: those after them are dropped, and results are read again from the position on',
  );
  // From here on the log goes on behind all numbers that were ever used: whole, so that nothing before it is needed.
  if (position !== null) {
    await memory.checkpoints.save({ seq: newest, to: position, state: memory.engine.state(), late: memory.late });
    memory.seq = newest;
    memory.checkpointed = { seq: newest, position };
  }
  await dropTicksAfter(seq);
}

/** Ends what incidents have under way and the engine does not. */
export async function forgetEnded({ engine, position }: Memory): Promise<void> {
  const at = position ?? Math.floor(Date.now() / 1_000);
  await getPrisma().$transaction((db) => endForgotten(db, engine.open(), at, new Date()), TRANSACTION);
}
