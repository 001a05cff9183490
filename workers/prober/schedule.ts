import type { Check } from '#contract/check.ts';
import { Heap } from './heap.ts';

/** Each run lies within 5% of the period around its slot, so two runs of a check are 0.9 to 1.1 periods apart. */
export const JITTER = 0.05;
/** A run that could not start within this part of the period is missed, not made up for: runs never bunch. */
export const LATE_LIMIT = 0.1;
/** No probe lasts longer than this part of its period: with jitter and lateness it ends before the next one starts. */
export const TIMEOUT_LIMIT = 0.75;
/** A run that our own load disturbed is taken again, once, within this part of the period. */
export const RETAKE_WITHIN = 0.1;
/** Of so many starts at most one is taken again: load must not feed itself. */
export const STARTS_A_RETAKE = 3;
/** Starts are at least this far apart (ms) while the load allows it; under more load, half their mean distance. */
export const START_GAP_MS = 5;

/** First runs have at least this mean distance (ms), however short their spread. */
export const FIRST_RUN_GAP_MS = 15;

type Slot = { check: Check; periodMs: number; slotAt: number; dueAt: number; retaken: boolean };
type Run = { slot: Slot; dueAt: number; retake: boolean };
type Options = { random(): number; firstSpreadMs?: number; maxInFlight?: number };

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

  /** Adds a check, its first run at a random moment; a known check with the same period keeps its rhythm. */
  put(check: Check, now: number): void {
    const known = this.#slots.get(check.id);
    const periodMs = check.periodSeconds * 1_000;
    if (known?.periodMs === periodMs) {
      known.check = check;
      return;
    }
    this.remove(check.id);
    // The same chance places the first run in its spread and all later ones in the period: a short first spread
    // brings first results early without bunching the checks for ever.
    const chance = this.#options.random();
    const spread = Math.max(this.#options.firstSpreadMs ?? periodMs, this.size * FIRST_RUN_GAP_MS);
    const first = now + chance * Math.min(periodMs, spread);
    const slot = { check, periodMs, slotAt: now + chance * periodMs, dueAt: first, retaken: false };
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
    if (this.inFlight >= (this.#options.maxInFlight ?? 32)) return null;
    const next = this.#due.peek();
    return next ? Math.max(next.key, this.#lastStart + this.#gapMs()) : null;
  }

  /** The check to start now, if one is due, the pace allows it and a place is free. `done` must follow. */
  take(now: number): Check | null {
    for (let at = this.nextAt(); at !== null && at <= now; at = this.nextAt()) {
      const run = this.#due.pop();
      if (!run || this.#slots.get(run.slot.check.id) !== run.slot) continue; // removed or replaced meanwhile
      const { slot, retake } = run;
      const tooLate = this.#running.has(slot.check.id) || now - run.dueAt > LATE_LIMIT * slot.periodMs;
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
    slot.dueAt = slot.slotAt + (2 * this.#options.random() - 1) * JITTER * periodMs;
    slot.retaken = false;
    this.#push({ slot, dueAt: slot.dueAt, retake: false });
  }

  #push(run: Run): void {
    this.#due.push(run.dueAt, run);
  }

  #gapMs(): number {
    return Math.min(START_GAP_MS, 0.5 / this.#perMs);
  }
}

/** The whole probe's time-out in ms: the server's, but always below the period. */
export function timeoutOf(check: Check): number {
  return Math.min(check.timeoutMs, check.periodSeconds * 1_000 * TIMEOUT_LIMIT);
}
