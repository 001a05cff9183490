/** Bytes of payload in a full segment (an MTU of 1,500 with IPv4). */
export const SEGMENT_BYTES = 1_460;
/** Segments that a sender may have in flight before the first acknowledgement (RFC 6928). */
export const INITIAL_WINDOW = 10;

const MIN_RTO_MS = 200;
const DUPLICATE_ACKS = 3;

export type SenderOptions = {
  rttMs: number;
  initialWindow?: number;
  /** Asked once for every segment sent; a retransmission always arrives. */
  lost?: () => boolean;
  /** Extra one-way delay in ms, asked once for every burst of segments sent at one time. */
  jitterMs?: () => number;
};

/** `bytes` more have arrived, in order, at the time `atMs`. */
export type Delivery = { atMs: number; bytes: number };

type Event = { atMs: number; kind: 'acknowledged' | 'fast' | 'timeout' };

/**
 * One direction of a TCP connection as a discrete-event model: slow start from an initial window, an acknowledgement for
 * every segment after one round trip, a lost segment repeated after three duplicate acknowledgements (one round trip) or
 * else after the retransmission time-out. What it leaves out: bandwidth, delayed acknowledgements, tail-loss probes.
 */
export class Sender {
  readonly #rttMs: number;
  readonly #lost: () => boolean;
  readonly #jitterMs: () => number;
  #window: number;
  #threshold = Number.POSITIVE_INFINITY;
  #events: Event[] = [];
  #inFlight = 0;
  #mostInFlight = 0;
  #clearToSendMs = Number.NEGATIVE_INFINITY;
  #lastArrivalMs = Number.NEGATIVE_INFINITY;
  #burst = { atMs: Number.NaN, jitterMs: 0 };

  constructor(options: SenderOptions) {
    this.#rttMs = options.rttMs;
    this.#window = options.initialWindow ?? INITIAL_WINDOW;
    this.#lost = options.lost ?? (() => false);
    this.#jitterMs = options.jitterMs ?? (() => 0);
  }

  /** The congestion window in segments, as of the last segment sent. */
  get window(): number {
    return this.#window;
  }

  /** Hands over bytes to send; says when they will have arrived. Times must not run backwards between calls. */
  send(nowMs: number, bytes: number): Delivery[] {
    const deliveries: Delivery[] = [];
    for (let left = bytes; left > 0; left -= SEGMENT_BYTES) {
      const size = Math.min(left, SEGMENT_BYTES);
      const atMs = this.#sendSegment(Math.max(nowMs, this.#clearToSendMs), Math.ceil(left / SEGMENT_BYTES));
      const last = deliveries.at(-1);
      if (last?.atMs === atMs) last.bytes += size;
      else deliveries.push({ atMs, bytes: size });
    }
    return deliveries;
  }

  /** Sends the first of `waiting` segments as soon as the window allows; returns when it arrives in order. */
  #sendSegment(nowMs: number, waiting: number): number {
    let atMs = nowMs;
    this.#settle(atMs);
    while (this.#inFlight >= Math.floor(this.#window)) {
      atMs = this.#events[0]?.atMs ?? atMs;
      this.#settle(atMs);
    }
    this.#clearToSendMs = atMs;
    if (this.#inFlight === 0) this.#mostInFlight = 0;
    this.#inFlight += 1;
    this.#mostInFlight = Math.max(this.#mostInFlight, this.#inFlight);
    const delay = this.#rttMs / 2 + this.#burstJitter(atMs);
    const arrival = atMs + (this.#lost() ? this.#repairMs(atMs, waiting) : 0) + delay;
    this.#schedule({ atMs: arrival + this.#rttMs / 2, kind: 'acknowledged' });
    this.#lastArrivalMs = Math.max(this.#lastArrivalMs, arrival);
    return this.#lastArrivalMs;
  }

  /** How long after a lost segment its repetition leaves. Duplicate acknowledgements need later segments in the same window. */
  #repairMs(atMs: number, waiting: number): number {
    const followers = Math.min(waiting - 1, Math.floor(this.#window) - this.#inFlight);
    const fast = followers >= DUPLICATE_ACKS;
    const repairMs = fast ? this.#rttMs : this.#rttMs + Math.max(MIN_RTO_MS, 2 * this.#rttMs);
    this.#schedule({ atMs: atMs + repairMs, kind: fast ? 'fast' : 'timeout' });
    return repairMs;
  }

  #schedule(event: Event): void {
    const later = this.#events.findIndex((other) => other.atMs > event.atMs);
    this.#events.splice(later < 0 ? this.#events.length : later, 0, event);
  }

  #settle(nowMs: number): void {
    for (let event = this.#events[0]; event && event.atMs <= nowMs; event = this.#events[0]) {
      this.#events.shift();
      if (event.kind === 'acknowledged') {
        this.#inFlight -= 1;
        this.#grow();
      } else this.#shrink(event.kind);
    }
  }

  /** Linux lets the window grow only while it is the window that limits: at least half of it in use during slow start. */
  #grow(): void {
    const slowStart = this.#window < this.#threshold;
    const limited = slowStart ? this.#window < 2 * this.#mostInFlight : this.#window <= this.#mostInFlight;
    if (limited) this.#window += slowStart ? 1 : 1 / this.#window;
  }

  #shrink(kind: 'fast' | 'timeout'): void {
    this.#threshold = Math.max(2, this.#window / 2);
    this.#window = kind === 'fast' ? this.#threshold : 1;
  }

  #burstJitter(atMs: number): number {
    if (this.#burst.atMs !== atMs) this.#burst = { atMs, jitterMs: this.#jitterMs() };
    return this.#burst.jitterMs;
  }
}
