/** A start that comes more than this (ms) after its turn is late. */
export const LATE_MS = 10;

/**
 * When the starts of a paced run are due: `everyMs` apart from `firstAt` on, 0 for as soon as may be. A late start moves
 * all that follow: what a busy machine has missed is told, not made up for in a bunch. Pure: the clock is an argument.
 */
export class Pace {
  readonly #everyMs: number;
  #dueAt: number;
  /** Starts that were late, and by how much the latest of them (ms). */
  late = 0;
  latestMs = 0;

  constructor(everyMs: number, firstAt: number) {
    this.#everyMs = everyMs;
    this.#dueAt = firstAt;
  }

  /** How long (ms) until the next start is due; 0 or less: now. */
  waitMs(now: number): number {
    return this.#dueAt - now;
  }

  started(now: number): void {
    if (this.#everyMs === 0) return;
    const lateMs = now - this.#dueAt;
    if (lateMs > LATE_MS) {
      this.late += 1;
      this.latestMs = Math.max(this.latestMs, lateMs);
      this.#dueAt = now;
    }
    this.#dueAt += this.#everyMs;
  }
}
