// The conductor: from new results over detections to incidents and messages. One process leads, and holds the lock `detection`;
// the life of a tick:
// - Results between two instants are read (readSamples) once every prober has delivered them, a minute later at the latest, and made a tick of samples.
// - The engine consumes it (consumeTick): detections, and spikes that are over.
// - In one transaction the tick goes into the log, and detections, incidents and messages are written (commit).
// - Once a minute of results, incidents are settled, spikes that are under way followed, also those that were
//   too small for an incident when they were raised, and incidents explained again (settle).
// - Before a half hour ends, earlier ones with late results are read again and replaced, as ticks of their own (late-ticks.ts).
// - Every hour of results the engine's state is stored, and the log before it cut off (checkpoint).
// After a restart or an error the state is loaded and the log since played again (memory.ts): nothing is found twice.

import type { PoolClient } from 'pg';
import { slotSeconds } from '#analysis/detection/parameters.ts';
import { getPrisma } from '#server/database/database.ts';
import { lockConnection, releaseLock } from '#server/database/lock.ts';
import { wholeSince } from '#server/database/retention.ts';
import { saveCheckpoint } from '#server/detection/checkpoint.ts';
import { consumeTick, type Raised } from '#server/detection/consume.ts';
import { dropNotesSince } from '#server/detection/late-results.ts';
import { appendTick, cutLog, Overtaken } from '#server/detection/log.ts';
import { readSamples } from '#server/detection/read-samples.ts';
import { noWork, reportStatus } from '#server/detection/status.ts';
import type { Tick } from '#server/detection/tick.ts';
import { log } from '#server/environment/log.ts';
import { describeDetections, storeDetections } from '#server/incidents/detected.ts';
import { reviseExplanations } from '#server/incidents/explain.ts';
import { followSpikes } from '#server/incidents/follow.ts';
import { joinReachability } from '#server/incidents/reachability.ts';
import { recordDetections } from '#server/incidents/record.ts';
import { notifyLasting, settleIncidents } from '#server/incidents/settle.ts';
import { openGrown } from '#server/incidents/unshown-spikes.ts';
import { noteFiguresRead } from '#server/monitoring/watching.ts';
import { rulesOf } from '#server/rules/rules.ts';
import { watermarkAt } from '#server/vantages/delivered.ts';
import { vantageLabels } from '#server/vantages/labels.ts';
import { noteBusy } from '#server/vantages/reports.ts';
import { historyBefore, nextSpan, relearn } from './catch-up.ts';
import { endsHalfHour, takeLate } from './late-ticks.ts';
import { type Memory, remember, TRANSACTION } from './memory.ts';

/** The state is stored after so many seconds of results, so that a restart replays at most these. */
const CHECKPOINT_SECONDS = 3_600;
/** While there is history to catch up with, the state is stored after so many ticks. */
const CHECKPOINT_TICKS = 48;
/** Whether incidents are over for other reasons than the detector's word is looked at once a minute of results. */
const SETTLE_SECONDS = 60;
const HOUR_SECONDS = 3_600;

export type DetectionJob = {
  /**
   * Consumes what has come up to `now` (ms), at most one stretch of it. Says whether there is more to be consumed at
   * once. Does nothing where another process leads. After an error the next call begins from the database again.
   */
  step: (now?: number) => Promise<boolean>;
  /** Lets another process lead. */
  close: () => Promise<void>;
};

/**
 * The detector over the results: one process leads, all that it knows can be made again from the database. A step that would take long
 * is given up soon after `signal`, with an AbortError.
 */
export function createDetectionJob(signal?: AbortSignal): DetectionJob {
  let leader: PoolClient | null = null;
  let memory: Memory | null = null;

  async function release(): Promise<void> {
    memory = null;
    const client = leader;
    leader = null;
    await releaseLock(client);
  }

  // Without its connection the lock is lost as well: better to know it before the work than after.
  async function goesOn(): Promise<void> {
    signal?.throwIfAborted();
    await leader?.query('select 1');
  }

  return {
    async step(now = Date.now()) {
      try {
        leader ??= await lockConnection('detection');
        if (leader === null) return false;
        await goesOn();
        memory ??= await takeOver(now, goesOn);
        return await consume(memory, now);
      } catch (error) {
        await release();
        // No fault of ours: the demo's past was loaded, or another process led in between.
        if (!(error instanceof Overtaken)) throw error;
        log.info(
          { reason: error.message },
          'detection restarts from the database: another process went on with its log',
        );
        return true;
      }
    },
    close: release,
  };
}

/**
 * What is known from the database. The previous leader may have ended between its last tick and what follows from it for the
 * incidents, so that is done here, at the same position.
 */
async function takeOver(now: number, goesOn: () => Promise<void>): Promise<Memory> {
  const memory = await remember();
  if (memory.isOfOtherVersion) await relearn(memory, now, goesOn);
  if (memory.position !== null) await settle(memory, now);
  return memory;
}

async function consume(memory: Memory, now: number): Promise<boolean> {
  const end = Math.floor((await watermarkAt(now)) / 1_000);
  memory.position ??= await historyBefore(end, now);
  if (memory.position === null || memory.position >= end) return false;
  // What is stored and not consumed yet is not late.
  if (memory.behind) await dropNotesSince(Math.ceil(memory.position / slotSeconds));
  const from = Math.floor((await wholeSince(memory.position * 1_000, now)) / 1_000);
  const to = Math.min(end, from + memory.span);
  if (endsHalfHour(memory.engine, to)) await takeLate(memory, from, (await wholeSince(0, now)) / 1_000);
  const read = await readSamples(from, to);
  const tick = memory.engine.prepare({ seq: memory.seq + 1, from, to }, read, await vantageLabels());
  // Nothing measured: nothing for the log, the next stretch begins where this one did not find anything.
  if (tick.samples.length > 0) {
    const raised = await consumeTick(memory, tick);
    await commit(tick, raised, now);
    // Probers send sooner while an event grows, as while somebody looks at figures.
    if (raised.found.length > 0 && to === end) noteFiguresRead();
    memory.seq = tick.seq;
    memory.work.samples += tick.samples.length;
  }
  memory.position = to;
  memory.checkpointed.position ||= from;
  memory.span = nextSpan(memory.span, read.length, to - from);
  await settle(memory, now);
  await checkpoint(memory, to < end);
  if (memory.behind && to === end) await notifyLasting(new Date(now));
  memory.behind = to < end;
  await report(memory);
  return to < end;
}

/** Other processes show how far it is. */
async function report(memory: Memory): Promise<void> {
  const { position, engine, work } = memory;
  if (position === null) return;
  memory.work = noWork();
  await reportStatus({ position, series: engine.seriesSince(position - HOUR_SECONDS) }, work);
}

/** The tick, what it raised, the incidents and their messages: all of it or nothing. */
async function commit(tick: Tick, raised: Raised, now: number): Promise<void> {
  const demo = raised.found.length === 0 ? [] : await getPrisma().target.findMany({ where: { demo: true } });
  const found = await describeDetections(raised.found, new Set(demo.map(({ id }) => id)), now);
  await getPrisma().$transaction(async (db) => {
    await appendTick(db, tick);
    const fresh = await storeDetections(db, found);
    if (fresh.length === 0 && raised.closed.length === 0) return;
    await recordDetections(db, fresh, await rulesOf(db, 'detector'), new Date(now), raised);
  }, TRANSACTION);
}

async function settle(memory: Memory, now: number): Promise<void> {
  const position = memory.position ?? 0;
  if (position - memory.settled < SETTLE_SECONDS) return;
  await joinReachability(new Date(now));
  await settleIncidents({ before: memory.settled, position }, new Date(now));
  const open = memory.engine.open();
  await followSpikes(open, position, new Date(now));
  if (open.length > 0) await openGrown(open, position, await rulesOf(getPrisma(), 'detector'), new Date(now));
  await noteBusy(memory.engine.busy());
  await reviseExplanations({ before: memory.settled, position }, new Date(now));
  memory.settled = position;
}

async function checkpoint(memory: Memory, catchingUp: boolean): Promise<void> {
  const { seq, position, checkpointed } = memory;
  if (position === null || seq === checkpointed.seq) return;
  const isDue = catchingUp
    ? seq - checkpointed.seq >= CHECKPOINT_TICKS
    : position - checkpointed.position >= CHECKPOINT_SECONDS;
  if (!isDue) return;
  await saveCheckpoint({ seq, to: position, state: memory.engine.state() });
  memory.checkpointed = { seq, position };
  const late = await cutLog(seq, position, { counting: !catchingUp });
  memory.work.late += late;
  if (late > 0) log.warn({ late }, 'results came too late for spikes: they reach the half hours');
}
