import type { Check } from '#contract/check.ts';
import { phaseOf } from './hash.ts';
import { Heap } from './heap.ts';

/** Each run lies within 5% of the period around its slot, so two runs of a check are 0.9 to 1.1 periods apart. */
export const JITTER = 0.05;
/** A run that could not start within this part of the period is missed, not made up for: runs never bunch. */
export const LATE_LIMIT = 0.1;
/** A check's first run has no rhythm to keep yet: it may wait for its turn up to this part of the period. */
export const FIRST_LATE_LIMIT = 0.5;
/** No probe lasts longer than this part of its period: with jitter and lateness it ends before the next one starts. */
export const TIMEOUT_LIMIT = 0.75;
/** A run that our own load disturbed is taken again, once, within this part of the period. */
export const RETAKE_WITHIN = 0.1;
/** Of so many starts at most one is taken again: load must not feed itself. */
export const STARTS_A_RETAKE = 3;
/** Starts are at least this far apart (ms) while the load allows it; under more load, half their mean distance. */
export const START_GAP_MS = 5;
/** A run this late (ms) has waited for others: then starts keep half their mean distance, up to the second number (ms). */
const LATE_START_MS = 100;
const LATE_GAP_MS = 50;

/** First runs have at least this mean distance (ms), however short their spread. */
export const FIRST_RUN_GAP_MS = 15;
/** Most probes at once where nothing else is asked for: enough for hundreds of starts a second to servers that are far. */
export const MAX_IN_FLIGHT = 256;

type Slot = { check: Check; periodMs: number; slotAt: number; dueAt: number; retaken: boolean; ran: boolean };
type Run = { slot: Slot; dueAt: number; retake: boolean };
type Options = {
  random(): number;
  /** Where in its period a check runs, from 0 to below 1; by a stable hash of its id where left out. */
  phase?(id: string): number;
  firstSpreadMs?: number | undefined;
  maxInFlight?: number | undefined;
  /** Wall-clock time (ms since 1970) at `now` 0: the phases of checks hang on it, so that they outlive a restart. */
  epoch?: number | undefined;
};

/** When each check runs. Pure: `now` (ms, monotonic) and chance are arguments; nothing here waits or measures. */
export class Schedule {
  /** `started` runs; `missed` ones, that found the prober full, stopped or still at the run before; `retaken` ones. */
  readonly counts = { started: 0, missed: 0, retaken: 0 };
  #options: Options;
  #slots = new Map<string, Slot>();
  #running = new Set<string>();
  #due = new Heap<Run>();
  #lastStart = Number.NEGATIVE_INFINITY;
  #perMs = 0;
  #retakes = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  get size(): number {
    return this.#slots.size;
  }

  get inFlight(): number {
    return this.#running.size;
  }

  /**
   * Adds a check. Its slots lie at a place in the period that its id gives, the same after every restart; a known check
   * with the same period keeps its rhythm.
   */
  put(check: Check, now: number): void {
    const known = this.#slots.get(check.id);
    const periodMs = check.periodSeconds * 1_000;
    if (known?.periodMs === periodMs) {
      known.check = check;
      return;
    }
    this.remove(check.id);
    const phase = (this.#options.phase ?? phaseOf)(check.id);
    const slotAt = now + untilPhase(phase, periodMs, now + (this.#options.epoch ?? 0));
    // A short first spread brings first results early, without bunching the later ones.
    const spread = Math.max(this.#options.firstSpreadMs ?? periodMs, this.size * FIRST_RUN_GAP_MS);
    const first = spread < periodMs ? now + phase * spread : slotAt;
    const slot = { check, periodMs, slotAt, dueAt: first, retaken: false, ran: false };
    this.#slots.set(check.id, slot);
    this.#perMs += 1 / periodMs;
    this.#push({ slot, dueAt: first, retake: false });
  }

  remove(id: string): void {
    const slot = this.#slots.get(id);
    if (!slot) return;
    this.#slots.delete(id);
    this.#perMs -= 1 / slot.periodMs;
  }

  /** When `take` should be asked next, or null when only the end of a probe can change anything. */
  nextAt(): number | null {
    if (this.inFlight >= (this.#options.maxInFlight ?? MAX_IN_FLIGHT)) return null;
    const next = this.#due.peek();
    if (!next) return null;
    const half = 0.5 / this.#perMs;
    const at = Math.max(next.key, this.#lastStart + Math.min(START_GAP_MS, half));
    const late = next.value.slot.ran && at - next.key > LATE_START_MS;
    return late ? this.#lastStart + Math.min(LATE_GAP_MS, half) : at;
  }

  /** The check to start now, if one is due, the pace allows it and a place is free. `done` must follow. */
  take(now: number): Check | null {
    for (let at = this.nextAt(); at !== null && at <= now; at = this.nextAt()) {
      const run = this.#due.pop();
      if (!run || this.#slots.get(run.slot.check.id) !== run.slot) continue; // removed or replaced meanwhile
      const { slot, retake } = run;
      const limit = slot.ran ? LATE_LIMIT : FIRST_LATE_LIMIT;
      const tooLate = this.#running.has(slot.check.id) || now - run.dueAt > limit * slot.periodMs;
      if (!retake) this.#advance(slot, now);
      if (!retake && tooLate) this.counts.missed += 1;
      if (tooLate) continue;
      this.#running.add(slot.check.id);
      this.#lastStart = now;
      this.counts[retake ? 'retaken' : 'started'] += 1;
      return slot.check;
    }
    return null;
  }

  /** The probe of this check has ended; one that our own load has `disturbed` gets another chance before its next slot. */
  done(id: string, now: number, disturbed = false): void {
    this.#running.delete(id);
    const slot = this.#slots.get(id);
    if (!disturbed || !slot || slot.retaken) return;
    if ((this.#retakes + 1) * STARTS_A_RETAKE > this.counts.started) return;
    const at = now + this.#options.random() * RETAKE_WITHIN * slot.periodMs;
    if (at + TIMEOUT_LIMIT * slot.periodMs > slot.dueAt) return;
    slot.retaken = true;
    this.#retakes += 1;
    this.#push({ slot, dueAt: at, retake: true });
  }

  /** Moves on to the next slot ahead; slots that went by unseen (a machine asleep) count as missed. */
  #advance(slot: Slot, now: number): void {
    const { periodMs } = slot;
    const passed = Math.max(0, Math.floor((now - slot.slotAt) / periodMs - LATE_LIMIT));
    this.counts.missed += passed;
    slot.slotAt += (passed + 1) * periodMs;
    // The slot right after a first run is left out; it is missed where that run was late of itself.
    if (!slot.ran && slot.slotAt - now < (1 - LATE_LIMIT) * periodMs) {
      slot.slotAt += periodMs;
      if (now - slot.dueAt > LATE_LIMIT * periodMs) this.counts.missed += 1;
    }
    slot.ran = true;
    slot.dueAt = slot.slotAt + (2 * this.#options.random() - 1) * JITTER * periodMs;
    slot.retaken = false;
    this.#push({ slot, dueAt: slot.dueAt, retake: false });
  }

  #push(run: Run): void {
    this.#due.push(run.dueAt, run);
  }
}

/** How long (ms) from this wall-clock time until the next slot of a check whose slots lie at `phase` of its period. */
function untilPhase(phase: number, periodMs: number, wallMs: number): number {
  return (((phase * periodMs - wallMs) % periodMs) + periodMs) % periodMs;
}

/** The time that one run may take (ms), however many probes it is made of: it ends before the next one starts. */
export function budgetOf(check: Check): number {
  return check.periodSeconds * 1_000 * TIMEOUT_LIMIT;
}

/** The whole probe's time-out in ms: the server's, but always below the period. */
export function timeoutOf(check: Check): number {
  return Math.min(check.timeoutMs, budgetOf(check));
}
