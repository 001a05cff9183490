/**
 * Who may start now: of the runs that are due (schedule.ts) one at a time, some milliseconds apart, while there is room.
 * Pure: `now` (ms, monotonic) and chance are arguments; nothing here waits or measures (runner.ts does).
 */
import type { Check } from '#contract/check.ts';
import { phaseOf } from './hash.ts';
import { Heap } from './heap.ts';
import type { Task } from './measurements.ts';
import { firstRun, isTooLate, type Run, runAfter, TIMEOUT_LIMIT } from './schedule.ts';

/**
 * A run that our own load disturbed is taken again within this part of the period: once, and as often as there is time for where the check
 * has no undisturbed run yet, since nothing is known of it till then.
 */
const RETAKE_WITHIN = 0.1;
/** Of so many starts at most one is taken again: load must not feed itself. */
export const STARTS_A_RETAKE = 3;
/** Starts are at least this far apart (ms) while the load allows it; under more load, half their mean distance. */
const START_GAP_MS = 5;
/** A run this late (ms) has waited for others: then starts keep half their mean distance, up to the second number (ms). */
const LATE_START_MS = 100;
const LATE_GAP_MS = 50;
/** Most probes at once where nothing else is asked for: enough for hundreds of starts a second to servers that are far. */
const MAX_IN_FLIGHT = 256;
/** Most tasks of measurements at once in a thread, and most that wait: they run between checks, and must not take their room. */
const MAX_TASKS_IN_FLIGHT = 16;
const MAX_TASKS_WAITING = 1_000;

type Slot = { check: Check; periodMs: number; run: Run; retaken: boolean; undisturbed: boolean };
type Due = { slot: Slot; dueAt: number; retake: boolean };
type Options = {
  random(): number;
  /** Where in its period a check runs, from 0 to below 1; by a stable hash of its id where left out. */
  phase?(id: string): number;
  firstSpreadMs?: number | undefined;
  maxInFlight?: number | undefined;
  /** Wall-clock time (ms since 1970) at `now` 0: the phases of checks hang on it, so that they outlive a restart. */
  epoch?: number | undefined;
};

export class Pacing {
  /** `started` runs; `missed` ones, that found the prober full, stopped or still at the run before; `retaken` ones. */
  readonly counts = { started: 0, missed: 0, retaken: 0 };
  readonly #options: Options;
  readonly #slots = new Map<string, Slot>();
  readonly #running = new Set<string>();
  readonly #due = new Heap<Due>();
  #tasks: Task[] = [];
  readonly #runningTasks = new Set<string>();
  /** Whether the last start was a task's: where both are due they take turns. */
  #taskWasLast = false;
  #lastStart = Number.NEGATIVE_INFINITY;
  /** Runs that are due in a ms, in the mean. */
  #perMs = 0;
  #retakes = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  get size(): number {
    return this.#slots.size;
  }

  get inFlight(): number {
    return this.#running.size + this.#runningTasks.size;
  }

  /** Adds a check; a known one with the same period keeps its rhythm. */
  put(check: Check, now: number): void {
    const known = this.#slots.get(check.id);
    const periodMs = check.periodSeconds * 1_000;
    if (known?.periodMs === periodMs) {
      known.check = check;
      return;
    }
    this.remove(check.id);
    const { phase = phaseOf, epoch = 0, firstSpreadMs: spreadMs } = this.#options;
    const run = firstRun({ phase: phase(check.id), periodMs }, now, now + epoch, { spreadMs, count: this.size });
    const slot: Slot = { check, periodMs, run, retaken: false, undisturbed: false };
    this.#slots.set(check.id, slot);
    this.#perMs += 1 / periodMs;
    this.#push({ slot, dueAt: run.dueAt, retake: false });
  }

  remove(id: string): void {
    const slot = this.#slots.get(id);
    if (!slot) return;
    this.#slots.delete(id);
    this.#perMs -= 1 / slot.periodMs;
  }

  /** Adds a task, to be run once as soon as the pace allows it; false where too many wait. */
  request(task: Task): boolean {
    if (this.#tasks.length >= MAX_TASKS_WAITING) return false;
    this.#tasks.push(task);
    return true;
  }

  /** Drops the tasks of this measurement that have not begun. */
  takeBack(measurementId: string): void {
    this.#tasks = this.#tasks.filter((task) => task.measurementId !== measurementId);
  }

  /** When `take` should be asked next, or null when only the end of a probe can change anything. */
  nextAt(): number | null {
    if (this.inFlight >= (this.#options.maxInFlight ?? MAX_IN_FLIGHT)) return null;
    const check = this.nextCheckAt();
    const task = this.#nextTaskAt();
    return check === null || task === null ? (check ?? task) : Math.min(check, task);
  }

  /** When the next check may start if there is room, or null when none will be due. */
  nextCheckAt(): number | null {
    const next = this.#due.peek();
    if (!next) return null;
    const half = 0.5 / this.#perMs;
    const at = Math.max(next.key, this.#lastStart + Math.min(START_GAP_MS, half));
    const late = !next.value.slot.run.first && at - next.key > LATE_START_MS;
    return late ? this.#lastStart + Math.min(LATE_GAP_MS, half) : at;
  }

  #nextTaskAt(): number | null {
    if (this.#tasks.length === 0 || this.#runningTasks.size >= MAX_TASKS_IN_FLIGHT) return null;
    return this.#lastStart + Math.min(START_GAP_MS, 0.5 / this.#perMs);
  }

  /** The check or task to start now, if one is due, the pace allows it and there is room. `done` must follow. */
  take(now: number): Check | Task | null {
    for (let at = this.nextAt(); at !== null && at <= now; at = this.nextAt()) {
      const task = this.#takeTask(now);
      if (task) return task;
      const due = this.#due.pop();
      if (!due || this.#slots.get(due.slot.check.id) !== due.slot) continue; // removed or replaced meanwhile
      const { slot, dueAt, retake } = due;
      const missed = this.#running.has(slot.check.id) || isTooLate(slot.run, dueAt, slot.periodMs, now);
      if (!retake) this.#advance(slot, now);
      if (!retake && missed) this.counts.missed += 1;
      if (missed) continue;
      this.#running.add(slot.check.id);
      this.#lastStart = now;
      this.#taskWasLast = false;
      this.counts[retake ? 'retaken' : 'started'] += 1;
      return slot.check;
    }
    return null;
  }

  #takeTask(now: number): Task | null {
    const at = this.#nextTaskAt();
    const check = this.nextCheckAt();
    if (at === null || at > now || (this.#taskWasLast && check !== null && check <= now)) return null;
    const task = this.#tasks.shift();
    if (!task) return null;
    this.#runningTasks.add(task.id);
    this.#lastStart = now;
    this.#taskWasLast = true;
    return task;
  }

  /** The probe of this check or task has ended; a check that our own load has `disturbed` gets another chance before its next slot. */
  done(id: string, now: number, disturbed = false): void {
    if (this.#runningTasks.delete(id)) return;
    this.#running.delete(id);
    const slot = this.#slots.get(id);
    if (!slot) return;
    slot.undisturbed ||= !disturbed;
    if (!disturbed || (slot.retaken && slot.undisturbed)) return;
    if ((this.#retakes + 1) * STARTS_A_RETAKE > this.counts.started) return;
    const dueAt = now + this.#options.random() * RETAKE_WITHIN * slot.periodMs;
    if (dueAt + TIMEOUT_LIMIT * slot.periodMs > slot.run.dueAt) return;
    slot.retaken = true;
    this.#retakes += 1;
    this.#push({ slot, dueAt, retake: true });
  }

  #advance(slot: Slot, now: number): void {
    const { next, missed } = runAfter(slot.run, slot.periodMs, now, this.#options.random());
    this.counts.missed += missed;
    slot.run = next;
    slot.retaken = false;
    this.#push({ slot, dueAt: next.dueAt, retake: false });
  }

  #push(due: Due): void {
    this.#due.push(due.dueAt, due);
  }
}
