import type { Check } from '#contract/check.ts';
import type { Schedule } from './schedule.ts';

/** Starts the schedule's checks when they are due: one timer, one start each time it fires. */
export class Runner {
  #schedule: Schedule;
  #run: (check: Check) => Promise<{ disturbed: boolean }>;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  #idle: (() => void) | undefined;

  /** `run` never rejects: a failed probe is a result. `disturbed` says that our own load spoilt it. */
  constructor(schedule: Schedule, run: (check: Check) => Promise<{ disturbed: boolean }>) {
    this.#schedule = schedule;
    this.#run = run;
  }

  apply(put: Iterable<Check>, removed: Iterable<string>): void {
    for (const id of removed) this.#schedule.remove(id);
    for (const check of put) this.#schedule.put(check, performance.now());
    this.#arm();
  }

  /** Starts nothing more, and waits `graceMs` at most for the probes that are under way. */
  async stop(graceMs: number): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    if (this.#schedule.inFlight === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.#idle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const at = this.#stopped ? null : this.#schedule.nextAt();
    if (at === null) return;
    // Never 0 ms: the loop gets to stamp what has arrived between two starts.
    this.#timer = setTimeout(() => this.#tick(), Math.max(1, Math.ceil(at - performance.now())));
  }

  #tick(): void {
    const check = this.#schedule.take(performance.now());
    if (check) void this.#start(check);
    this.#arm();
  }

  async #start(check: Check): Promise<void> {
    const { disturbed } = await this.#run(check);
    this.#schedule.done(check.id, performance.now(), disturbed);
    if (this.#schedule.inFlight === 0) this.#idle?.();
    this.#arm();
  }
}
