import { randomUUID } from 'node:crypto';
import { SleepingClock } from './sleeping-clock.ts';

/** What another thread needs to show the same time. `atMs` is the kernel's monotonic clock, which all threads share. */
export type ClockState = { epoch: string; aheadMs: number | null; atMs: number; timeMs: number };

const monotonicMs = () => Number(process.hrtime.bigint()) / 1e6;

/**
 * The prober's clock: the machine's wall clock as it stood when the process started, running on without steps. So the
 * distance to the server's clock, once learnt, holds for every Result of this process, before and after somebody (NTP)
 * sets the machine's clock.
 */
export class ProberClock {
  /** Names this process's clock in what it spools before the server's time is known. */
  readonly epoch: string;
  /** This clock minus the server's in ms, 0 where they agree; null before the server's time is known. */
  aheadMs: number | null;
  readonly #monotonic = new SleepingClock();
  readonly #origin: number;

  constructor(state: Partial<ClockState> = {}) {
    const { epoch = randomUUID(), aheadMs = 0, atMs = monotonicMs(), timeMs = Date.now() } = state;
    this.epoch = epoch;
    this.aheadMs = aheadMs;
    this.#origin = timeMs + (monotonicMs() - atMs) - this.#monotonic.now();
  }

  /** Milliseconds since 1970, with fractions. */
  now(): number {
    return this.#origin + this.#monotonic.now();
  }

  /** The server's time in ms since 1970, as far as it is known. */
  serverNow(): number {
    return this.now() - (this.aheadMs ?? 0);
  }

  state(): ClockState {
    return { epoch: this.epoch, aheadMs: this.aheadMs, atMs: monotonicMs(), timeMs: this.now() };
  }
}
