import type { Check } from '#contract/check.ts';
import { Admission, loopBusyMs } from '#probe/load/admission.ts';
import type { Task } from './measurements.ts';
import type { Pacing } from './pacing.ts';

/**
 * Checks are due when they are due, so only a loop that had no rest at all holds them back. Then runs are missed, and
 * said to be, rather than all measured badly.
 */
const BUSY_SHARE = 0.95;
/** Timers stand still while the machine sleeps: no wait is so long that runs due since then go by unseen. */
const LONGEST_WAIT_MS = 1_000;

/** Starts the schedule's checks when they are due and the loop has time: one timer, one start each time it fires. */
export class Runner {
  readonly #admission = new Admission(BUSY_SHARE);
  #pacing: Pacing;
  #clock: { now(): number };
  #run: (run: Check | Task) => Promise<{ disturbed: boolean }>;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  #idle: (() => void) | undefined;

  /** `run` never rejects: a failed probe is a result. `disturbed` says that our own load spoilt it. */
  constructor(pacing: Pacing, clock: { now(): number }, run: (run: Check | Task) => Promise<{ disturbed: boolean }>) {
    this.#pacing = pacing;
    this.#clock = clock;
    this.#run = run;
  }

  apply(put: Iterable<Check>, removed: Iterable<string>): void {
    const now = this.#clock.now();
    for (const id of removed) this.#pacing.remove(id);
    for (const check of put) this.#pacing.put(check, now);
    this.#arm();
  }

  /** Has a task run once; false where too many wait. */
  request(task: Task): boolean {
    const taken = this.#pacing.request(task);
    this.#arm();
    return taken;
  }

  /** Starts nothing more, and waits `graceMs` at most for the probes that are under way. */
  async stop(graceMs: number): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    if (this.#pacing.inFlight === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.#idle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Waits for the next start, or for `atLeastMs` where the loop is too busy for it. */
  #arm(atLeastMs = 1): void {
    clearTimeout(this.#timer);
    const at = this.#stopped ? null : this.#pacing.nextAt();
    if (at === null) return;
    // Never 0 ms: the loop gets to look at all sockets between two starts.
    const waitMs = Math.max(atLeastMs, Math.ceil(at - this.#clock.now()));
    this.#timer = setTimeout(() => this.#tick(), Math.min(waitMs, LONGEST_WAIT_MS));
  }

  #tick(): void {
    const now = this.#clock.now();
    const waitMs = this.#admission.waitMs(now, loopBusyMs());
    const run = waitMs > 0 ? null : this.#pacing.take(now);
    if (run) {
      this.#admission.started(now);
      void this.#start(run);
    }
    this.#arm(Math.max(1, waitMs));
  }

  async #start(run: Check | Task): Promise<void> {
    const { disturbed } = await this.#run(run);
    this.#pacing.done(run.id, this.#clock.now(), disturbed);
    if (this.#pacing.inFlight === 0) this.#idle?.();
    this.#arm();
  }
}
