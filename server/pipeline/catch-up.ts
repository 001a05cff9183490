import { slotSeconds } from '#analysis/detection/parameters.ts';
import { getPrisma } from '#server/database/database.ts';
import { Checkpoints } from '#server/detection/checkpoint.ts';
import { Engine } from '#server/detection/detection.ts';
import { dropNotesSince } from '#server/detection/late.ts';
import { dropTicksAfter, newestSeq } from '#server/detection/log.ts';
import { countSamples } from '#server/detection/samples.ts';
import { log } from '#server/environment/log.ts';
import { endForgotten } from '#server/incidents/settle.ts';
import { beginHistory } from './history.ts';
import { type Memory, TRANSACTION } from './memory.ts';
import { judgeInSilence, openCells, relearn, relearnBefore } from './relearn.ts';

// A detector that is far behind (the first start on a database with history, or jobs that were off) begins with the present: it
// learns the past from rollups, and judges the last half hour to an hour and all that comes. What lies between is gone through behind
// it (history.ts).

/** From so many seconds behind on, ... */
const FAR_BEHIND_SECONDS = 6 * 3_600;
/** ... and from so many results on that were not judged: half a minute of CPU time. Less is gone through in order, which is exact. */
export const IN_ORDER_RESULTS = 1_000_000;
/** At least so many seconds before now are judged at once: what is under way by then is found by its first samples. */
const JUDGED_SECONDS = 1_800;

const HOUR_SECONDS = 3_600;

/** Moves a detector that is far behind to the present; `end`: up to when results may be consumed, seconds since 1970. */
export async function beginWithPresent(memory: Memory, end: number, inOrderResults: number): Promise<void> {
  const { position } = memory;
  if (position === null || end - position <= FAR_BEHIND_SECONDS) return;
  const results = await resultsBetween(position, end);
  if (results <= inOrderResults) return;
  const until = Math.floor((end - JUDGED_SECONDS) / slotSeconds) * slotSeconds;
  log.info(
    { position, until, results },
    'detection is far behind: it learns the past from rollups and begins with the present',
  );
  const engine = new Engine();
  const series = await relearn(engine, until);
  engine.adopt(await openCells());
  // Before the checkpoint, without which all of this is done again.
  await beginHistory(position, until, memory.engine.slot() < 0 ? null : memory.engine);
  await dropNotesSince(0);
  await goOnWith(memory, engine, until);
  memory.history = undefined;
  log.info({ series, position: until }, 'detection has learnt the past');
}

/** Makes an engine that was just made the one that goes on, from `position` on. */
export async function goOnWith(memory: Memory, engine: Engine, position: number): Promise<void> {
  const seq = await newestSeq();
  memory.checkpoints = new Checkpoints();
  await memory.checkpoints.save({ seq, to: position, state: engine.state(), late: memory.late });
  await dropTicksAfter(seq);
  Object.assign(memory, { engine, seq, position, forgotten: engine.forgotten(), checkpointed: { seq, position } });
}

/** About how many there are, by the first hour and the last. */
async function resultsBetween(from: number, to: number): Promise<number> {
  const first = await countSamples(from, from + HOUR_SECONDS);
  const last = await countSamples(to - HOUR_SECONDS, to);
  return (Math.max(first, last) * (to - from)) / HOUR_SECONDS;
}

/** So many of what a new version would have raised are named in the log. */
const NAMED = 20;

/**
 * After an update to a version that cannot go on with the stored state: the past is learnt anew, and the last two hours are judged in
 * silence, so that the log says what this version would have raised. Spikes that people were told of go on; those of series without
 * results end.
 */
export async function relearnInSilence(memory: Memory, now: number): Promise<void> {
  memory.isEmpty = false;
  const { position } = memory;
  if (position === null) return;
  const engine = new Engine();
  const { until, series } = await relearnBefore(engine, position);
  const found = await judgeInSilence(engine, until, position);
  const adopted = engine.adopt(await openCells());
  const wouldRaise = found
    .slice(0, NAMED)
    .map(({ kind, metric, target, vantage, at }) => ({ kind, metric, target, vantage, at }));
  log.info(
    { series, position, judgedSince: until, adopted: adopted.length, found: found.length, wouldRaise },
    'the stored state of detection is of another version: the past was learnt anew, in silence',
  );
  await goOnWith(memory, engine, position);
  const known = adopted.map((spike) => ({ ...spike, quietSince: null }));
  await getPrisma().$transaction((db) => endForgotten(db, known, position, new Date(now)), TRANSACTION);
}
