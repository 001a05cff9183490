import { Duplex } from 'node:stream';
import type { Clock } from '../clock.ts';
import type { KernelView } from '../kernel/kernel.ts';
import { inOwnTurn } from '../load/event-loop-turns.ts';
import { stampLateness } from '../load/lateness.ts';
import { WireObserver } from '../wire/wire.ts';

/** Bounds on what a server may send and make us send before the probe gives up on it. */
export type TapLimits = { bytesIn: number; bytesOut: number; recordsIn: number };

/** A handshake of 256 kB carries a certificate chain several times larger than any in use. */
const HANDSHAKE_LIMITS: TapLimits = { bytesIn: 262_144, bytesOut: 65_536, recordsIn: 1_024 };

/** Bytes that may wait for TLS: with more, the stream is not read on until TLS has worked some off. */
const MOST_WAITING_BYTES = 262_144;

/** A write to a socket that took longer (ms) was held up: when its bytes left is known to within that time alone. */
const LONGEST_WRITE_MS = 0.5;

/** What a stamp of the event loop is late by at least (ms): from the poll to our code, where nothing else is in the way. */
const OWN_STAMP_MS = 0.2;

/** The stream crossed a bound of the engine. */
export class LimitError extends Error {
  readonly code = 'ROUNDTRIP_LIMIT';
}

/**
 * The pass-through between the TCP stream and TLS. Arrivals are stamped and read at once; the bytes go on to TLS in a
 * turn of their own, so that no cryptography (of this probe or another) delays a stamp. TLS may be put on top of it
 * before there is a stream: what it writes waits for `attach`.
 */
export class Tap extends Duplex {
  readonly wire = new WireObserver();
  /** When the bytes that TLS is working on, or worked on last, arrived, and when it was given them. */
  deliveredAt: number | null = null;
  givenAt = 0;
  /**
   * How late (ms) a stamp may be, or bytes left because others' bytes were worked on first: the worst of the handshake, and of
   * the answer.
   */
  readonly late = { tls: 0, answer: 0 };
  /** When the first byte left. */
  helloSentAt: number | null = null;
  /** When the first bytes left after `expectRequest`. */
  requestSentAt: number | null = null;
  /** Whether the end of TCP was passed on to TLS. An end that TLS sees before this one is the server's close_notify. */
  ended = false;
  limits: TapLimits = HANDSHAKE_LIMITS;
  /** When the bytes that held session tickets arrived, one entry a ticket. */
  readonly ticketArrivals: number[] = [];
  readonly #clock: Clock;
  #stream: Duplex | null = null;
  #kernel: KernelView | null = null;
  #waitingBytes = 0;
  #answerLateMs = 0;
  #handshaking = true;
  #expectsRequest = false;
  #held: (() => void) | null = null;

  constructor(clock: Clock) {
    super({ allowHalfOpen: false });
    this.#clock = clock;
    // Errors reach the user of the tap through TLS; without a listener one would end the process.
    this.on('error', () => {});
  }

  /** Puts the tap on an open stream; what TLS wrote so far leaves now. `kernel` stamps its arrivals. */
  attach(stream: Duplex, kernel: KernelView | null = null): void {
    if (this.destroyed) {
      stream.destroy();
      return;
    }
    this.#stream = stream;
    this.#kernel = kernel;
    stream.on('data', (chunk: Buffer) => this.#arrived(chunk));
    stream.on('end', () => inOwnTurn(() => this.#ended()));
    stream.on('error', (error) => inOwnTurn(() => this.destroy(error)));
    stream.on('close', () => inOwnTurn(() => this.#ended()));
    this.#held?.();
    this.#held = null;
  }

  /** The handshake is over: from here on what we send waits for no answer of the server. */
  endHandshake(): void {
    this.#handshaking = false;
  }

  /** TLS has just read a ticket out of the bytes it works on. */
  noteTicket(): void {
    if (this.deliveredAt !== null && this.ticketArrivals.length < 64) this.ticketArrivals.push(this.deliveredAt);
  }

  /** Further bytes are those of a request and its answer, of which no more than so much may come. */
  expectAnswer({ bytesIn, bytesOut, recordsIn }: TapLimits): void {
    const { bytes } = this.wire;
    this.limits = {
      bytesIn: bytes.in + bytesIn,
      bytesOut: bytes.out + bytesOut,
      recordsIn: this.wire.count('in') + recordsIn,
    };
    this.wire.beginResponse();
  }

  /** The next bytes to leave are those of the request. */
  expectRequest(): void {
    this.#expectsRequest = true;
  }

  override _read(): void {
    if (this.#waitingBytes <= MOST_WAITING_BYTES) this.#stream?.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const stream = this.#stream;
    if (!stream) this.#held = () => this._write(chunk, _encoding, done);
    else this.#send(stream, chunk, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    if (this.#stream) this.#stream.end(done);
    else done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#held = null;
    this.#stream?.destroy();
    done(error);
  }

  #send(stream: Duplex, chunk: Buffer, done: (error?: Error | null) => void): void {
    if (stream.destroyed) {
      done();
      return;
    }
    const before = this.#clock.now();
    const goesOn = stream.write(chunk);
    const sent = this.#kernel?.sent() ?? { at: 0, tookMs: this.#clock.now() - before };
    const at = Math.max(before, sent.at);
    const { tookMs } = sent;
    if (tookMs > LONGEST_WRITE_MS) this.#admit(tookMs);
    this.helloSentAt ??= at;
    // In a handshake of several flights the server waits for our answer, which waited for a turn.
    if (this.deliveredAt !== null) this.#answerLateMs = this.givenAt - this.deliveredAt;
    if (this.#expectsRequest) {
      this.#expectsRequest = false;
      this.requestSentAt = at;
    }
    this.wire.observe('out', chunk, at);
    if (this.#exceeds()) done(this.#limitError());
    else if (goesOn) done();
    else stream.once('drain', done);
  }

  #admit(lateMs: number): void {
    const during = this.#handshaking ? 'tls' : 'answer';
    this.late[during] = Math.max(this.late[during], lateMs);
  }

  #arrived(chunk: Buffer): void {
    const now = this.#clock.now();
    this.#kernel?.collect();
    const unseen = { bytes: chunk.length, at: now, seen: false, lateMs: 0 };
    const pieces = this.#kernel?.watch.log.split(chunk.length, now) ?? [unseen];
    let offset = 0;
    for (const { bytes, at, seen, lateMs } of pieces) {
      if (!seen) this.#admit(stampLateness(now) + OWN_STAMP_MS);
      // A handshake ends with the last byte of its flight, whose stamp is its own; an answer begins with the first.
      else if (!this.#handshaking) this.#admit(lateMs);
      this.#take(chunk.subarray(offset, offset + bytes), at);
      offset += bytes;
    }
  }

  #take(bytes: Buffer, at: number): void {
    if (this.#handshaking) this.#admit(this.#answerLateMs);
    this.wire.observe('in', bytes, at);
    if (this.#exceeds()) {
      this.#stream?.pause();
      inOwnTurn(() => this.destroy(this.#limitError()));
      return;
    }
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes > MOST_WAITING_BYTES) this.#stream?.pause();
    inOwnTurn(() => this.#deliver(bytes, at));
  }

  #deliver(bytes: Buffer, at: number): void {
    if (this.destroyed || this.ended) return;
    const waited = this.#waitingBytes > MOST_WAITING_BYTES;
    this.#waitingBytes -= bytes.length;
    this.deliveredAt = at;
    this.givenAt = this.#clock.now();
    if (!this.push(bytes)) this.#stream?.pause();
    else if (waited && this.#waitingBytes <= MOST_WAITING_BYTES) this.#stream?.resume();
  }

  #ended(): void {
    if (this.destroyed || this.ended) return;
    this.ended = true;
    this.push(null);
  }

  #exceeds(): boolean {
    const { bytes } = this.wire;
    return (
      bytes.in > this.limits.bytesIn ||
      bytes.out > this.limits.bytesOut ||
      this.wire.count('in') > this.limits.recordsIn
    );
  }

  #limitError(): LimitError {
    const { bytes } = this.wire;
    return new LimitError(
      `the server sent ${bytes.in} bytes in ${this.wire.count('in')} records and made us send ${bytes.out}, more than a probe takes`,
    );
  }
}
