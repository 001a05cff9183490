/** Bytes of payload in a full segment: an MTU of 1,500 with IPv4 and TCP timestamps. */
export const SEGMENT_BYTES = 1_448;
/** Segments that a sender may have in flight before the first acknowledgement (RFC 6928). */
export const INITIAL_WINDOW = 10;

const MIN_RTO_MS = 200;
const DUPLICATE_ACKS = 3;

export type TcpSenderOptions = {
  rttMs: number;
  initialWindow?: number;
  segmentBytes?: number;
  /** False: Nagle's algorithm holds a partial segment back while an earlier one is not acknowledged (Linux's variant, Minshall's). */
  noDelay?: boolean;
  /** Asked once for every segment sent; a retransmission always arrives. */
  lost?: () => boolean;
  /** Extra one-way delay in ms, asked once for every burst of segments sent at one time. */
  jitterMs?: () => number;
};

/** `bytes` more have arrived, in order, at the time `atMs`. */
export type Delivery = { atMs: number; bytes: number };

type Event = { atMs: number; kind: 'acknowledged' | 'fast' | 'timeout'; partial: boolean };

/**
 * One direction of a TCP connection as a discrete-event model: slow start from an initial window that counts segments, an
 * acknowledgement for every segment after one round trip, a lost segment repeated after three duplicate acknowledgements
 * (one round trip) or else after the retransmission time-out. A write that the window lets through leaves at once, its
 * last segment as short as it is; what waits is cut into segments when it leaves, so that a later write fills up the last
 * one. What it leaves out: bandwidth, delayed acknowledgements, tail-loss probes, the receiver's window.
 */
export class TcpSender {
  readonly #rttMs: number;
  readonly #segmentBytes: number;
  readonly #noDelay: boolean;
  readonly #lost: () => boolean;
  readonly #jitterMs: () => number;
  #window: number;
  #threshold = Number.POSITIVE_INFINITY;
  #events: Event[] = [];
  #nowMs = Number.NEGATIVE_INFINITY;
  #queued = 0;
  #inFlight = 0;
  #partialsInFlight = 0;
  /** Linux's `is_cwnd_limited`, `max_packets_out` and `cwnd_usage_seq`: as of the last burst that was judged. */
  #limited = false;
  #mostInFlight = 0;
  #unjudged = 0;
  #lastArrivalMs = Number.NEGATIVE_INFINITY;
  #burst = { atMs: Number.NaN, jitterMs: 0 };

  constructor(options: TcpSenderOptions) {
    this.#rttMs = options.rttMs;
    this.#window = options.initialWindow ?? INITIAL_WINDOW;
    this.#segmentBytes = options.segmentBytes ?? SEGMENT_BYTES;
    this.#noDelay = options.noDelay ?? true;
    this.#lost = options.lost ?? (() => false);
    this.#jitterMs = options.jitterMs ?? (() => 0);
  }

  /** The congestion window in segments, as of the last event. */
  get window(): number {
    return this.#window;
  }

  /** When some of the bytes that still wait may leave (ms); Infinity where none wait. */
  get nextMs(): number {
    return this.#queued === 0 ? Number.POSITIVE_INFINITY : (this.#events[0]?.atMs ?? this.#nowMs);
  }

  /** Hands over one write; says when what has left by now will arrive. Times must not run backwards between calls. */
  write(nowMs: number, bytes: number): Delivery[] {
    const deliveries = this.advance(nowMs);
    this.#queued += bytes;
    this.#leave(deliveries);
    return deliveries;
  }

  /** Lets time pass until `nowMs`; says when what has left by then will arrive. */
  advance(nowMs: number): Delivery[] {
    const deliveries: Delivery[] = [];
    for (let event = this.#events[0]; event && event.atMs <= nowMs; event = this.#events[0]) {
      this.#nowMs = Math.max(this.#nowMs, event.atMs);
      this.#settle(event);
      this.#leave(deliveries);
    }
    if (Number.isFinite(nowMs)) this.#nowMs = Math.max(this.#nowMs, nowMs);
    return deliveries;
  }

  /** Hands over writes that are made at one time, with none to follow before all of it has left: says when it arrives. */
  send(nowMs: number, ...writes: number[]): Delivery[] {
    const deliveries = writes.flatMap((bytes) => this.write(nowMs, bytes));
    while (this.#queued > 0) deliveries.push(...this.advance(this.nextMs));
    return merged(deliveries);
  }

  /** Sends segments as long as the window, and Nagle's algorithm, let the next one through. */
  #leave(deliveries: Delivery[]): void {
    const queued = this.#queued;
    while (this.#queued > 0 && this.#inFlight < Math.floor(this.#window)) {
      const partial = this.#queued < this.#segmentBytes;
      if (partial && !this.#noDelay && this.#partialsInFlight > 0) break;
      const bytes = Math.min(this.#queued, this.#segmentBytes);
      const atMs = this.#sendSegment(partial);
      this.#queued -= bytes;
      const last = deliveries.at(-1);
      if (last?.atMs === atMs) last.bytes += bytes;
      else deliveries.push({ atMs, bytes });
    }
    if (this.#queued < queued) this.#judgeUse();
  }

  /**
   * Whether it is the window that limits, as Linux judges it when segments have left (tcp_cwnd_validate): that a window was
   * full is forgotten only by what leaves after all of it was acknowledged, so that the end of a flight still widens it.
   */
  #judgeUse(): void {
    const full = this.#inFlight >= Math.floor(this.#window);
    if (!full && this.#unjudged > 0 && (this.#limited || this.#inFlight <= this.#mostInFlight)) return;
    this.#limited = full;
    this.#mostInFlight = this.#inFlight;
    this.#unjudged = this.#inFlight;
  }

  /** Sends the first segment of what waits; returns when it arrives in order. */
  #sendSegment(partial: boolean): number {
    this.#inFlight += 1;
    if (partial) this.#partialsInFlight += 1;
    const delay = this.#rttMs / 2 + this.#burstJitter();
    const arrival = this.#nowMs + (this.#lost() ? this.#repairMs() : 0) + delay;
    this.#schedule({ atMs: arrival + this.#rttMs / 2, kind: 'acknowledged', partial });
    this.#lastArrivalMs = Math.max(this.#lastArrivalMs, arrival);
    return this.#lastArrivalMs;
  }

  /** How long after a lost segment its repetition leaves. Duplicate acknowledgements need later segments in the same window. */
  #repairMs(): number {
    const waiting = Math.ceil(this.#queued / this.#segmentBytes);
    const followers = Math.min(waiting - 1, Math.floor(this.#window) - this.#inFlight);
    const fast = followers >= DUPLICATE_ACKS;
    const repairMs = fast ? this.#rttMs : this.#rttMs + Math.max(MIN_RTO_MS, 2 * this.#rttMs);
    this.#schedule({ atMs: this.#nowMs + repairMs, kind: fast ? 'fast' : 'timeout', partial: false });
    return repairMs;
  }

  #schedule(event: Event): void {
    // Almost always the last one: an acknowledgement is later than those of segments that were sent before.
    const before = this.#events.findLastIndex((other) => other.atMs <= event.atMs);
    this.#events.splice(before + 1, 0, event);
  }

  /** Takes in the first event that has not been seen: each acknowledgement lets go what its own room is for. */
  #settle({ kind, partial }: Event): void {
    this.#events.shift();
    if (kind !== 'acknowledged') {
      this.#shrink(kind);
      return;
    }
    this.#inFlight -= 1;
    this.#unjudged = Math.max(0, this.#unjudged - 1);
    if (partial) this.#partialsInFlight -= 1;
    this.#grow();
  }

  /** A flight that does not fill the window opens it in slow start alone, up to twice that flight (tcp_is_cwnd_limited). */
  #grow(): void {
    const slowStart = this.#window < this.#threshold;
    if (this.#limited || (slowStart && this.#window < 2 * this.#mostInFlight))
      this.#window += slowStart ? 1 : 1 / this.#window;
  }

  #shrink(kind: 'fast' | 'timeout'): void {
    this.#threshold = Math.max(2, this.#window / 2);
    this.#window = kind === 'fast' ? this.#threshold : 1;
  }

  #burstJitter(): number {
    if (this.#burst.atMs !== this.#nowMs) this.#burst = { atMs: this.#nowMs, jitterMs: this.#jitterMs() };
    return this.#burst.jitterMs;
  }
}

/** One entry for what arrives at one time. */
function merged(deliveries: readonly Delivery[]): Delivery[] {
  const joined: Delivery[] = [];
  for (const { atMs, bytes } of deliveries) {
    const last = joined.at(-1);
    if (last?.atMs === atMs) last.bytes += bytes;
    else joined.push({ atMs, bytes });
  }
  return joined;
}
