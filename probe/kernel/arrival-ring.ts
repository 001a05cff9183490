/** Entries that fit: some ten thousand connections' worth between two looks of the reader. */
const ENTRIES = 32_768;
const HEADER_BYTES = 16;
const FIELDS = 5;
const WRITTEN = 0;
const STOP = 1;

/**
 * A ring in shared memory from the watcher thread (the one writer) to the measuring thread (the one reader). A reader that
 * falls a whole ring behind loses the oldest entries: those arrivals then have its own stamps.
 */
export class ArrivalRing {
  readonly memory: SharedArrayBuffer;
  readonly #header: Int32Array;
  readonly #entries: Float64Array;
  #read = 0;

  constructor(memory = new SharedArrayBuffer(HEADER_BYTES + ENTRIES * FIELDS * 8)) {
    this.memory = memory;
    this.#header = new Int32Array(memory, 0, 2);
    this.#entries = new Float64Array(memory, HEADER_BYTES);
  }

  /**
   * By `atMs` (`processNow`), `bytes` had arrived on the connection `id` since it was opened, in so many `segments`; the
   * first of those since the entry before may have come `lateMs` earlier.
   */
  write(id: number, atMs: number, bytes: number, segments: number, lateMs: number): void {
    const written = Atomics.load(this.#header, WRITTEN);
    const offset = (written & (ENTRIES - 1)) * FIELDS;
    this.#entries[offset] = id;
    this.#entries[offset + 1] = atMs;
    this.#entries[offset + 2] = bytes;
    this.#entries[offset + 3] = segments;
    this.#entries[offset + 4] = lateMs;
    Atomics.store(this.#header, WRITTEN, (written + 1) | 0);
  }

  /** Hands over the entries written since the last call, in order. */
  drain(take: (id: number, atMs: number, bytes: number, segments: number, lateMs: number) => void): void {
    const written = Atomics.load(this.#header, WRITTEN);
    if (((written - this.#read) | 0) > ENTRIES / 2) this.#read = (written - ENTRIES / 2) | 0;
    for (; this.#read !== written; this.#read = (this.#read + 1) | 0) {
      const offset = (this.#read & (ENTRIES - 1)) * FIELDS;
      const [id = 0, atMs = 0, bytes = 0, segments = 0, lateMs = 0] = this.#entries.subarray(offset, offset + FIELDS);
      take(id, atMs, bytes, segments, lateMs);
    }
  }

  stop(): void {
    Atomics.store(this.#header, STOP, 1);
  }

  get stopped(): boolean {
    return Atomics.load(this.#header, STOP) === 1;
  }
}

/** Milliseconds of a clock that all threads of the process share (performance.now() has an origin for each thread). */
export function processNow(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1e6;
}
