import { Duplex } from 'node:stream';
import { type Delivery, TcpSender, type TcpSenderOptions } from '#analysis/tcp-sender/tcp-sender.ts';

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

/** One direction: bytes in, the same bytes out when the model says that they arrive. An end is passed on behind them. */
class Direction {
  readonly #timers: Timers;
  readonly #sender: TcpSender;
  readonly #rttMs: number;
  readonly #deliver: (piece: Buffer | null) => void;
  /** What was written and has not arrived yet, in order; the model says when how much of it arrives. */
  readonly #written: Buffer[] = [];
  readonly #due: Delivery[] = [];
  #endAtMs: number | null = null;
  #cancel: (() => void) | null = null;

  constructor(timers: Timers, options: TcpSenderOptions, deliver: (piece: Buffer | null) => void) {
    this.#timers = timers;
    this.#sender = new TcpSender(options);
    this.#rttMs = options.rttMs;
    this.#deliver = deliver;
  }

  pass(chunk: Buffer): void {
    this.#written.push(chunk);
    this.#due.push(...this.#sender.write(this.#timers.now(), chunk.length));
    this.#arm();
  }

  end(): void {
    this.#endAtMs ??= this.#timers.now() + this.#rttMs / 2;
    this.#arm();
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#due.length = 0;
    this.#written.length = 0;
    this.#endAtMs = null;
  }

  /** Wakes at the next arrival, or when more may leave: an arrival that is later than half a round trip from then. */
  #arm(): void {
    this.#cancel?.();
    this.#cancel = null;
    const last = this.#due.length === 0 && this.#written.length === 0 ? this.#endAtMs : null;
    const next = Math.min(this.#due[0]?.atMs ?? last ?? Number.POSITIVE_INFINITY, this.#sender.nextMs);
    if (!Number.isFinite(next)) return;
    this.#cancel = this.#timers.after(Math.max(0, next - this.#timers.now()), () => {
      this.#cancel = null;
      this.#due.push(...this.#sender.advance(this.#timers.now()));
      this.#flush();
      this.#arm();
    });
  }

  #flush(): void {
    const now = this.#timers.now() + TIMER_GRAIN_MS;
    for (let next = this.#due[0]; next && next.atMs <= now; next = this.#due[0]) {
      this.#due.shift();
      for (const piece of this.#taken(next.bytes)) this.#deliver(piece);
    }
    if (this.#endAtMs === null || this.#endAtMs > now || this.#written.length > 0) return;
    this.#endAtMs = null;
    this.#deliver(null);
  }

  /** The first `bytes` of what was written. */
  #taken(bytes: number): Buffer[] {
    const pieces: Buffer[] = [];
    for (let left = bytes; left > 0; ) {
      const chunk = this.#written.shift();
      if (!chunk) break;
      pieces.push(chunk.subarray(0, left));
      if (chunk.length > left) this.#written.unshift(chunk.subarray(left));
      left -= chunk.length;
    }
    return pieces;
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

  constructor(far: Duplex, options: TcpSenderOptions, timers: Timers = systemTimers) {
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
