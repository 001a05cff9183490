import type { Check } from '#contract/check.ts';
import { Heap } from './heap.ts';

/** Each run lies within 5% of the period around its slot, so two runs of a check are 0.9 to 1.1 periods apart. */
export const JITTER = 0.05;
/** A run that could not start within this part of the period is missed, not made up for: runs never bunch. */
export const LATE_LIMIT = 0.1;
/** No probe lasts longer than this part of its period: with jitter and lateness it ends before the next one starts. */
export const TIMEOUT_LIMIT = 0.75;
/** Starts are at least this far apart (ms) while the load allows it; under more load, half their mean distance. */
export const START_GAP_MS = 5;

type Slot = { check: Check; periodMs: number; slotAt: number; dueAt: number };
type Options = { random(): number; firstSpreadMs?: number; maxInFlight?: number };

/** When each check runs. Pure: `now` (ms, monotonic) and chance are arguments; nothing here waits or measures. */
export class Schedule {
  /** `started` runs, and `missed` ones: those that found the prober full, stopped or still at the run before. */
  readonly counts = { started: 0, missed: 0 };
  #options: Options;
  #slots = new Map<string, Slot>();
  #running = new Set<string>();
  #due = new Heap<Slot>();
  #lastStart = Number.NEGATIVE_INFINITY;
  #perMs = 0;

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
    const first = now + chance * Math.min(periodMs, this.#options.firstSpreadMs ?? periodMs);
    const slot = { check, periodMs, slotAt: now + chance * periodMs, dueAt: first };
    this.#slots.set(check.id, slot);
    this.#perMs += 1 / periodMs;
    this.#due.push(first, slot);
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
      const slot = this.#due.pop();
      if (!slot || this.#slots.get(slot.check.id) !== slot) continue; // removed or replaced meanwhile
      const missed = this.#running.has(slot.check.id) || now - slot.dueAt > LATE_LIMIT * slot.periodMs;
      this.#advance(slot, now);
      if (missed) {
        this.counts.missed += 1;
        continue;
      }
      this.#running.add(slot.check.id);
      this.#lastStart = now;
      this.counts.started += 1;
      return slot.check;
    }
    return null;
  }

  /** The probe of this check has ended. */
  done(id: string): void {
    this.#running.delete(id);
  }

  /** Moves on to the next slot ahead; slots that went by unseen (a machine asleep) count as missed. */
  #advance(slot: Slot, now: number): void {
    const { periodMs } = slot;
    const passed = Math.max(0, Math.floor((now - slot.slotAt) / periodMs - LATE_LIMIT));
    this.counts.missed += passed;
    slot.slotAt += (passed + 1) * periodMs;
    slot.dueAt = slot.slotAt + (2 * this.#options.random() - 1) * JITTER * periodMs;
    this.#due.push(slot.dueAt, slot);
  }

  #gapMs(): number {
    return Math.min(START_GAP_MS, 0.5 / this.#perMs);
  }
}

/** The whole probe's time-out in ms: the server's, but always below the period. */
export function timeoutOf(check: Check): number {
  return Math.min(check.timeoutMs, check.periodSeconds * 1_000 * TIMEOUT_LIMIT);
}
