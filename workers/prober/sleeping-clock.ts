import { uptime } from 'node:os';

/** How often (ms) to look for a sleep: the time since the boot costs 8 us to ask, the monotonic clock next to nothing. */
const LOOK_EVERY_MS = 500;
/** Less than this (ms) is the grain of the clock that counts sleep. */
const GRAIN_MS = 250;

type Clocks = { awakeMs(): number; sinceBootMs(): number };
const SYSTEM: Clocks = { awakeMs: () => performance.now(), sinceBootMs: () => uptime() * 1_000 };

/**
 * A monotonic clock that goes on while the machine sleeps. Linux stops performance.now() and all timers meanwhile, so
 * that runs which a sleeping laptop missed would seem never to have been due; the time since the boot counts them.
 */
export class SleepingClock {
  readonly #clocks: Clocks;
  #apart: number;
  #lookedAt: number;
  #sleptMs = 0;

  constructor(clocks: Clocks = SYSTEM) {
    this.#clocks = clocks;
    this.#lookedAt = clocks.awakeMs();
    this.#apart = clocks.sinceBootMs() - this.#lookedAt;
  }

  /** Milliseconds from an arbitrary origin, never going back. */
  now(): number {
    const awake = this.#clocks.awakeMs();
    if (awake - this.#lookedAt >= LOOK_EVERY_MS) this.#look(awake);
    return awake + this.#sleptMs;
  }

  #look(awake: number): void {
    this.#lookedAt = awake;
    const slept = this.#clocks.sinceBootMs() - awake - this.#apart;
    if (slept < GRAIN_MS) return;
    this.#sleptMs += slept;
    this.#apart += slept;
  }
}
