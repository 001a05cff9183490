import { Duplex } from 'node:stream';
import { Sender, type SenderOptions } from './sender.ts';

/** Time for the emulated paths: an argument, so that tests can turn the clock by hand. */
export type Timers = {
  /** Milliseconds with fractions from an arbitrary origin. */
  now(): number;
  /** Runs once after so many ms; the function returned cancels it. */
  after(ms: number, run: () => void): () => void;
};

/** Node's own timers: they count in whole milliseconds, so a delivery is up to about 0.7 ms early or late. */
export const systemTimers: Timers = {
  now: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** A delivery due within this many ms is made at once: waiting for another whole millisecond would be the larger error. */
const TIMER_GRAIN_MS = 0.75;

/** One direction: bytes in, the same bytes out when the model says that they arrive. `null` passes the end on behind them. */
class Direction {
  readonly #timers: Timers;
  readonly #sender: Sender;
  readonly #rttMs: number;
  readonly #deliver: (piece: Buffer | null) => void;
  readonly #due: { atMs: number; piece: Buffer | null }[] = [];
  #cancel: (() => void) | null = null;

  constructor(timers: Timers, options: SenderOptions, deliver: (piece: Buffer | null) => void) {
    this.#timers = timers;
    this.#sender = new Sender(options);
    this.#rttMs = options.rttMs;
    this.#deliver = deliver;
  }

  pass(chunk: Buffer): void {
    let offset = 0;
    for (const { atMs, bytes } of this.#sender.send(this.#timers.now(), chunk.length)) {
      this.#due.push({ atMs, piece: chunk.subarray(offset, offset + bytes) });
      offset += bytes;
    }
    this.#arm();
  }

  end(): void {
    const behind = this.#due.at(-1)?.atMs ?? 0;
    this.#due.push({ atMs: Math.max(behind, this.#timers.now() + this.#rttMs / 2), piece: null });
    this.#arm();
  }

  stop(): void {
    this.#cancel?.();
    this.#due.length = 0;
  }

  #arm(): void {
    const next = this.#due[0];
    if (!next || this.#cancel) return;
    this.#cancel = this.#timers.after(Math.max(0, next.atMs - this.#timers.now()), () => {
      this.#cancel = null;
      this.#flush();
      this.#arm();
    });
  }

  #flush(): void {
    const now = this.#timers.now() + TIMER_GRAIN_MS;
    for (let next = this.#due[0]; next && next.atMs <= now; next = this.#due[0]) {
      this.#due.shift();
      this.#deliver(next.piece);
    }
  }
}

/**
 * An emulated TCP path in front of a real connection: what is written reaches `far` half a round trip later, and what
 * `far` sends arrives under the congestion window of a sender that stands at the far end. Destroying it destroys `far`.
 */
export class Path extends Duplex {
  readonly #far: Duplex;
  readonly #up: Direction;
  readonly #down: Direction;

  constructor(far: Duplex, options: SenderOptions, timers: Timers = systemTimers) {
    super({ allowHalfOpen: true });
    this.#far = far;
    this.#up = new Direction(timers, options, (piece) => this.#intoFar(piece));
    this.#down = new Direction(timers, options, (piece) => this.push(piece));
    far.on('data', (chunk: Buffer) => this.#down.pass(chunk));
    far.on('end', () => this.#down.end());
    far.on('error', (error) => this.destroy(error));
    // A close without an end is a reset; one after an end is told by the end itself, when it has come down the path.
    far.on('close', () => !far.readableEnded && !this.destroyed && this.#down.end());
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#up.pass(chunk);
    done();
  }

  override _final(done: () => void): void {
    this.#up.end();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#up.stop();
    this.#down.stop();
    this.#far.destroy();
    done(error);
  }

  #intoFar(piece: Buffer | null): void {
    if (!this.#far.writable) return;
    if (piece) this.#far.write(piece);
    else this.#far.end();
  }
}
