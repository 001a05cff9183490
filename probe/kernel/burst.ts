/** The kernel is asked once in so many ms at most, since a busy thread rests thousands of times a second. */
const LEAST_APART_MS = 1;

/** Connections that are remembered; ids count up, so that one that is older than so many others is forgotten. */
const KEPT = 65_536;

/**
 * Tells how late the stamp of an arrival may be. The kernel joins segments that wait in one queue and keeps the stamp of
 * the newest, so that of several segments that came since the last look the first may have come earlier: for as long as
 * the watcher was kept from looking.
 */
export class Bursts {
  readonly #ids = new Int32Array(KEPT);
  readonly #segments = new Uint32Array(KEPT);
  readonly #runDelayMs: () => number;
  #delaySeen: number;
  #askedAt = Number.NEGATIVE_INFINITY;

  /** `runDelayMs` says for how long this thread has waited for a processor so far. */
  constructor(runDelayMs: () => number) {
    this.#runDelayMs = runDelayMs;
    this.#delaySeen = runDelayMs();
  }

  /** How long this thread has waited so far, if it is time (`now`, ms) to ask; else null. */
  delayBeforeLook(now: number): number | null {
    if (now - this.#askedAt < LEAST_APART_MS) return null;
    this.#askedAt = now;
    return this.#runDelayMs();
  }

  /** A look after that delay found nothing: what comes is late by later waits alone. */
  nothingWaited(delay: number): void {
    this.#delaySeen = delay;
  }

  /**
   * Notes that a connection has received so many segments with data by now, and gives the bound in ms. It counts all
   * waits since the thread rested or was asked last, and is never too low.
   */
  latenessOf(id: number, segments: number): number {
    const at = id % KEPT;
    const before = this.#ids[at] === id ? (this.#segments[at] ?? 0) : 0;
    this.#ids[at] = id;
    this.#segments[at] = segments;
    if (segments - before <= 1) return 0;
    const delay = this.#runDelayMs();
    const late = delay - this.#delaySeen;
    this.#delaySeen = delay;
    return late;
  }
}
