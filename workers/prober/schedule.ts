/**
 * When a check is due: a function of its id and period. Its slots lie one period apart at a phase that a stable hash of
 * the id gives, counted in wall-clock time, so that they are the same after every restart. Nothing here keeps state or
 * reads a clock; who may start now is decided in pacing.ts. Times are ms of one monotonic clock unless said otherwise.
 */
import type { Check } from '#contract/check.ts';

/** Each run lies within 5% of the period around its slot, so two runs of a check are 0.9 to 1.1 periods apart. */
export const JITTER = 0.05;
/** A run that could not start within this part of the period is missed, not made up for: runs never bunch. */
export const LATE_LIMIT = 0.1;
/** A check's first run has no rhythm to keep yet: it may wait for its turn up to this part of the period. */
export const FIRST_LATE_LIMIT = 0.5;
/** No probe lasts longer than this part of its period: with jitter and lateness it ends before the next one starts. */
export const TIMEOUT_LIMIT = 0.75;
/** First runs have at least this mean distance (ms), however short their spread. */
const FIRST_RUN_GAP_MS = 15;

/** The next run of a check: the slot it belongs to, and when it is due. Only the first run is not about a slot. */
export type Run = { readonly slotAt: number; readonly dueAt: number; readonly first: boolean };

/**
 * The first run of a check that comes at `now` (wall-clock time `wallMs`) among `count` others: its next slot, or, where
 * the first runs are to be spread over a shorter time, its share of that. It has no jitter.
 */
export function firstRun(
  { phase, periodMs }: { phase: number; periodMs: number },
  now: number,
  wallMs: number,
  { spreadMs = periodMs, count }: { spreadMs?: number | undefined; count: number },
): Run {
  const untilSlot = (((phase * periodMs - wallMs) % periodMs) + periodMs) % periodMs;
  const slotAt = now + untilSlot;
  const spread = Math.max(spreadMs, count * FIRST_RUN_GAP_MS);
  return { slotAt, dueAt: spread < periodMs ? now + phase * spread : slotAt, first: true };
}

/**
 * The run after one that was looked at `now`, at `chance` (0 to 1) of its jitter. Slots that went by unseen (a machine
 * asleep) are `missed`; the slot right after a first run is left out, and missed where that run was late of itself.
 */
export function runAfter(run: Run, periodMs: number, now: number, chance: number): { next: Run; missed: number } {
  const passed = Math.max(0, Math.floor((now - run.slotAt) / periodMs - LATE_LIMIT));
  let slotAt = run.slotAt + (passed + 1) * periodMs;
  let missed = passed;
  if (run.first && slotAt - now < (1 - LATE_LIMIT) * periodMs) {
    slotAt += periodMs;
    if (now - run.dueAt > LATE_LIMIT * periodMs) missed += 1;
  }
  return { next: { slotAt, dueAt: slotAt + (2 * chance - 1) * JITTER * periodMs, first: false }, missed };
}

/** Whether it is too late to start a run now: it is missed then. */
export function isTooLate({ first }: Run, dueAt: number, periodMs: number, now: number): boolean {
  return now - dueAt > (first ? FIRST_LATE_LIMIT : LATE_LIMIT) * periodMs;
}

/** The time that one run may take (ms), however many probes it is made of: it ends before the next one starts. */
export function budgetOf(check: Check): number {
  return check.periodSeconds * 1_000 * TIMEOUT_LIMIT;
}

/** The whole probe's time-out in ms: the server's, but always below the period. */
export function timeoutOf(check: Check): number {
  return Math.min(check.timeoutMs, budgetOf(check));
}
