import { halfHourCapacity, slotSeconds } from '#analysis/detection/parameters.ts';
import { getPrisma } from '#server/database/database.ts';
import { consumeTick } from '#server/detection/consume.ts';
import type { Engine } from '#server/detection/detection.ts';
import { dropNotes, dropNotesBefore, type LateNotes, readLate } from '#server/detection/late-results.ts';
import { appendTick } from '#server/detection/log.ts';
import { readSamples } from '#server/detection/read-samples.ts';
import { log } from '#server/environment/log.ts';
import { vantageLabels } from '#server/vantages/labels.ts';
import { type Memory, TRANSACTION } from './memory.ts';

/**
 * Late results: targets whose half hour is read at once, some 2,800 results each at 93 vantages, and how many such ticks are made
 * before the end of a half hour at the most. What is left waits for the next one.
 */
const LATE_TARGETS_AT_ONCE = 8;
export const LATE_TICKS = 120;
/** Whether a half hour is over once results before `to` are consumed. */
export function endsHalfHour(engine: Engine, to: number): boolean {
  return engine.slot() >= 0 && to > (engine.slot() + 1) * slotSeconds;
}

/**
 * Reads again what half hours that are over come to, of those that got results late, and puts it into the detector. Each tick is
 * some targets' half hour; the last one of a half hour takes its notes away.
 * `at` is where the detector is, `wholeFrom` from where on all results are still there; seconds since 1970.
 */
export async function takeLate(memory: Memory, at: number, wholeFrom: number): Promise<void> {
  const slot = memory.engine.slot();
  await dropNotesBefore(Math.max(slot - halfHourCapacity + 1, Math.ceil(wholeFrom / slotSeconds)));
  let ticks = 0;
  for (let late = await readLate(slot); late.length > 0; late = await readLate(slot)) {
    for (const each of late) {
      if (ticks >= LATE_TICKS) {
        log.warn(
          { ticks, left: late.length },
          'many half hours have late results: the rest waits for the next half hour',
        );
        return;
      }
      ticks += await takeHalfHour(memory, at, each);
    }
  }
}

/** How many ticks it took: at least one. */
async function takeHalfHour(memory: Memory, at: number, { slot, targetIds, notes }: LateNotes): Promise<number> {
  const vantages = await vantageLabels();
  const [from, to] = [slot * slotSeconds, (slot + 1) * slotSeconds];
  let ticks = 0;
  for (let first = 0; first < targetIds.length; first += LATE_TARGETS_AT_ONCE) {
    const some = targetIds.slice(first, first + LATE_TARGETS_AT_ONCE);
    const read = await readSamples(from, to, some);
    const tick = memory.engine.prepareLate({ seq: memory.seq + 1, at, slot }, read, vantages);
    await consumeTick(memory, tick);
    const isLast = first + LATE_TARGETS_AT_ONCE >= targetIds.length;
    await getPrisma().$transaction(async (db) => {
      await appendTick(db, tick);
      if (isLast) await dropNotes(db, notes);
    }, TRANSACTION);
    memory.seq = tick.seq;
    memory.work.lateHalfHours += tick.late?.length ?? 0;
    ticks += 1;
  }
  return ticks;
}
