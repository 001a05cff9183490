/**
 * A part of a chunk and when it arrived, on the thread's clock; `seen`: stamped by the kernel, not by the event loop. Its
 * first bytes may have come `lateMs` before that.
 */
export type Piece = { bytes: number; at: number; seen: boolean; lateMs: number };

/** Arrivals kept of one connection: beyond them the event loop's own stamps serve. */
const MOST_ARRIVALS = 512;

/** What the watcher saw arrive on one connection, in order. Instants are the measuring thread's (performance.now()). */
export class ArrivalLog {
  readonly #times: number[] = [];
  readonly #bytes: number[] = [];
  readonly #segments: number[] = [];
  readonly #late: number[] = [];
  #next = 0;
  #taken = 0;

  /**
   * By `at`, `bytes` had arrived since the connection was opened, in so many `segments`, the first of the new ones `lateMs`
   * earlier at most.
   */
  add(at: number, bytes: number, segments: number, lateMs: number): void {
    const last = this.#bytes.at(-1) ?? 0;
    if (bytes <= last || this.#bytes.length >= MOST_ARRIVALS) return;
    // Stamps of two segments may cross by microseconds, but bytes arrive in order.
    this.#times.push(Math.max(at, this.#times.at(-1) ?? at));
    this.#bytes.push(bytes);
    this.#segments.push(segments);
    this.#late.push(lateMs);
  }

  /** In how many segments so many bytes came since the connection was opened; null where that was not recorded. */
  segmentsBy(bytes: number): number | null {
    if (bytes === 0) return 0;
    const at = this.#bytes.lastIndexOf(bytes);
    return this.#segments[at] ?? null;
  }

  /** Splits the next chunk read, at `now`, into the pieces in which it came. What the watcher did not see is stamped `now`. */
  split(length: number, now: number): Piece[] {
    const end = this.#taken + length;
    const pieces: Piece[] = [];
    while (this.#taken < end) {
      const upTo = this.#bytes[this.#next];
      if (upTo === undefined) {
        pieces.push({ bytes: end - this.#taken, at: now, seen: false, lateMs: 0 });
        this.#taken = end;
      } else if (upTo <= this.#taken) {
        this.#next += 1;
      } else {
        const bytes = Math.min(upTo, end) - this.#taken;
        const at = Math.min(this.#times[this.#next] ?? now, now);
        pieces.push({ bytes, at, seen: true, lateMs: this.#late[this.#next] ?? 0 });
        this.#taken += bytes;
      }
    }
    return pieces;
  }
}
