import { wholeSince } from '#server/database/retention.ts';
import { saveCheckpoint } from '#server/detection/checkpoint.ts';
import { consumeTick } from '#server/detection/consume.ts';
import { Engine } from '#server/detection/detection.ts';
import { newestSeq, Overtaken } from '#server/detection/log.ts';
import { countSamples, oldestSample, readSamples } from '#server/detection/read-samples.ts';
import { noWork } from '#server/detection/status.ts';
import { log } from '#server/environment/log.ts';
import { vantageLabels } from '#server/vantages/labels.ts';
import { forgetEnded, type Memory, SHORTEST_TICK } from './memory.ts';

// A detector without a state (the first start on a database that has results, or an update to a version that reads the stored state no
// more) knows what it has gone through, in order, as any other result: nothing is known in two ways.

/** So many days it goes back at most, ... */
export const HISTORY_DAYS = 14;
/** ... and about so many results: four minutes of CPU time. */
export const HISTORY_RESULTS = 10_000_000;

const DAY_SECONDS = 86_400;

/** How far it looks back at once to count them, seconds. */
const COUNTED_SECONDS = 6 * 3_600;

/**
 * Where a detector that knows nothing begins, to know what it can by `end`; null where nothing was measured. Seconds since 1970, `now` in
 * ms. Not in days of which failed results alone are left: a target would seem to fail always.
 */
export async function historyBefore(end: number, now: number, mostResults = HISTORY_RESULTS): Promise<number | null> {
  const whole = await wholeSince((end - HISTORY_DAYS * DAY_SECONDS) * 1_000, now);
  const earliest = Math.min(end, Math.floor(whole / 1_000));
  const oldest = await oldestSample(earliest);
  if (oldest === null || oldest >= end) return null;
  let from = end;
  for (let results = 0; from > oldest && results < mostResults; ) {
    const to = from;
    from = Math.max(oldest, to - COUNTED_SECONDS);
    results += await countSamples(from, to);
  }
  return from;
}

/** Results that are consumed at once, about: from the shortest stretch on as many seconds as hold so many, up to the longest. */
const SAMPLES_AT_ONCE = 40_000;
const LONGEST_STRETCH = 4 * 3_600;

/** The seconds to be consumed next: twice as many where that gave few results, half where it gave many. */
export function nextSpan(span: number, samples: number, consumed = span): number {
  if (samples > SAMPLES_AT_ONCE) return Math.max(SHORTEST_TICK, Math.floor(span / 2));
  return consumed === span && samples < SAMPLES_AT_ONCE / 2 ? Math.min(LONGEST_STRETCH, span * 2) : span;
}

/**
 * After an update to a version that cannot go on with the stored state: what was measured before is processed without notifications.
 * Notified spikes that this version sees as well go on. `goesOn` is asked before each stretch, and throws where this is to stop: the
 * stored state is as it was then.
 */
export async function relearn(memory: Memory, now: number, goesOn: () => Promise<void>): Promise<void> {
  memory.isOfOtherVersion = false;
  const { position } = memory;
  if (position === null) return;
  const from = (await historyBefore(position, now)) ?? position;
  log.info(
    { from, position },
    'the stored state of detection is of another version: the past is processed again, without notifications',
  );
  const engine = new Engine();
  await judgeInSilence(engine, { from, to: position }, goesOn);
  log.info({ series: engine.seriesSince(0), position }, 'detection knows the past again');
  await goOnWith(memory, engine, position);
  await forgetEnded(memory);
}

/** Lets an engine consume a range without notifications. */
async function judgeInSilence(
  engine: Engine,
  { from, to }: { from: number; to: number },
  goesOn: () => Promise<void>,
): Promise<void> {
  const vantages = await vantageLabels();
  let span = SHORTEST_TICK;
  for (let at = from; at < to; ) {
    await goesOn();
    const until = Math.min(to, at + span);
    const read = await readSamples(at, until);
    const tick = engine.prepare({ seq: 0, from: at, to: until }, read, vantages);
    await consumeTick({ engine, work: noWork() }, tick);
    if (Math.floor(at / DAY_SECONDS) !== Math.floor(until / DAY_SECONDS))
      log.info({ at: until, to }, 'gone through in silence');
    span = nextSpan(span, read.length, until - at);
    at = until;
  }
}

/** Makes an engine that was just made the one that goes on, from `position` on. */
async function goOnWith(memory: Memory, engine: Engine, position: number): Promise<void> {
  const seq = await newestSeq();
  if (seq !== memory.seq) throw new Overtaken(`the log is at tick ${seq}, and was at ${memory.seq}`);
  await saveCheckpoint({ seq, to: position, state: engine.state() });
  Object.assign(memory, { engine, seq, position, checkpointed: { seq, position } });
}
