import type { SeenChunk } from '../wire/wire.ts';

/** A gap between arrivals that is at least this share of the round-trip time is a wait for a round trip. */
const GAP_SHARE = 0.6;
/** A stall longer than this many round-trip times is loss or work, not the wait for one acknowledgement. */
const STALL_LIMIT = 1.8;
/** Gaps below this (ms) cannot be distinguished from the scheduling of two machines. */
const LEAST_GAP_MS = 1;
/** Instants on a Result are rounded to microseconds: this close (ms), one is meant to be the other. */
const SAME_MS = 0.002;
/** A first answer this many times slower than the connect, and by this many ms, says that tcp is no measure. */
const IMPLAUSIBLE_FACTOR = 8;
const IMPLAUSIBLE_EXCESS_MS = 20;

/**
 * A wait inside the server's flight: when it began (the clock's ms), after how many of the flight's bytes and of the
 * connection's (`upTo`), for how long, and whether about one RTT.
 */
export type Stall = { from: number; afterBytes: number; upTo: number; gapMs: number; oneRoundTrip: boolean };

/**
 * What the server sent without a stall: from where to where among the connection's bytes, when the last came, and whether the
 * next came about one round trip later, as after an acknowledgement. A longer pause (a lost packet, work) shows no window.
 */
export type Burst = { fromByte: number; upTo: number; lastAt: number; waitsOneTrip: boolean };

/** A run of the server's bytes that nothing of ours interrupted, and the bursts that it came in. */
export type Run = { bytes: number; bursts: Burst[] };

/** What the arrivals show. `flights` are runs of server bytes; each answers us or ends a stall, so costs a round trip. */
export type Flights = {
  flights: number;
  /** Flights that answered something we sent. */
  alternations: number;
  stalls: Stall[];
  /** The round-trip time that gaps are compared with. */
  rttMs: number;
  /** From the ClientHello's sending to the first byte, and to the last byte that the handshake needed. */
  answerMs: number;
  wireMs: number;
};

/**
 * Counts the server's flights of a handshake. A flight begins when the server answers something we sent, or after a gap
 * of at least 0.6 round-trip times with nothing sent in between. `tcpMs` is the connect's duration, `until` the arrival
 * of the last byte that the handshake needed, `kernelRttMs` the kernel's round-trip time where it is known. Null where
 * nothing was sent or nothing came.
 */
export function flightsOf(
  chunks: readonly SeenChunk[],
  tcpMs: number,
  until: number,
  kernelRttMs: number | null = null,
): Flights | null {
  const first = chunks.find(({ direction }) => direction === 'out');
  const answer = chunks.find(({ direction, at }) => direction === 'in' && first && at >= first.at);
  if (!first || !answer) return null;
  const answerMs = answer.at - first.at;
  // A lost SYN makes the connect a bad measure: no round trip is longer than the first answer took.
  const rttMs = Math.min(kernelRttMs ?? tcpMs, tcpMs, answerMs);
  const found: Flights = { flights: 0, alternations: 0, stalls: [], rttMs, answerMs, wireMs: 0 };
  let previous: SeenChunk | null = null;
  let flightBytes = 0;
  let upTo = 0;
  for (const chunk of chunks) {
    if (chunk.at > until) break;
    if (chunk.direction === 'in') {
      if (previous === null || previous.direction === 'out') {
        found.flights += 1;
        found.alternations += 1;
        flightBytes = 0;
      } else {
        const stall = stallBetween(previous, chunk, flightBytes, upTo, rttMs);
        if (stall) found.flights += 1;
        if (stall) found.stalls.push(stall);
      }
      flightBytes += chunk.bytes;
      upTo += chunk.bytes;
      found.wireMs = chunk.at - first.at;
    }
    previous = chunk;
  }
  return found;
}

/** The waits among the server's bytes that arrived from `from` to `to`, whatever we sent in between. */
export function stallsBetween(chunks: readonly SeenChunk[], from: number, to: number, rttMs: number): Stall[] {
  const stalls: Stall[] = [];
  let previous: SeenChunk | null = null;
  let bytes = 0;
  let upTo = 0;
  for (const chunk of chunks) {
    if (chunk.direction !== 'in') continue;
    if (chunk.at >= from - SAME_MS && chunk.at <= to + SAME_MS) {
      const stall = previous ? stallBetween(previous, chunk, bytes, upTo, rttMs) : null;
      if (stall) stalls.push(stall);
      bytes += chunk.bytes;
      previous = chunk;
    }
    upTo += chunk.bytes;
  }
  return stalls;
}

function stallBetween(
  previous: SeenChunk,
  chunk: SeenChunk,
  afterBytes: number,
  upTo: number,
  rttMs: number,
): Stall | null {
  const gapMs = chunk.at - previous.at;
  if (isWithinBurst(gapMs, rttMs)) return null;
  return { from: previous.at, afterBytes, upTo, gapMs, oneRoundTrip: isOneTrip(gapMs, rttMs) };
}

const isWithinBurst = (gapMs: number, rttMs: number): boolean => gapMs < Math.max(GAP_SHARE * rttMs, LEAST_GAP_MS);

const isOneTrip = (gapMs: number, rttMs: number): boolean => gapMs <= STALL_LIMIT * rttMs + 2;

/**
 * The server's full flight of a handshake that ended at `until`: the longest run of its bytes that nothing of ours
 * interrupted. Null where nothing came.
 */
export function fullFlightOf(chunks: readonly SeenChunk[], until: number, rttMs: number): Run | null {
  const runs: SeenRun[] = [];
  let upTo = 0;
  let interrupted = true;
  for (const chunk of chunks) {
    if (chunk.at > until) break;
    if (chunk.direction === 'out') interrupted = true;
    else {
      if (interrupted) runs.push({ fromByte: upTo, chunks: [] });
      runs.at(-1)?.chunks.push(chunk);
      interrupted = false;
      upTo += chunk.bytes;
    }
  }
  const [longest] = runs.map((run) => runOf(run, rttMs)).sort((a, b) => b.bytes - a.bytes);
  return longest ?? null;
}

/**
 * What the server sent after its handshake (`after`) until `to`, whatever we sent in between, from the burst on that the
 * answer's first packet came in: tickets may be part of it.
 */
export function answerOf(
  chunks: readonly SeenChunk[],
  after: number,
  firstPacket: number,
  to: number,
  rttMs: number,
): Run {
  const seen: SeenRun = { fromByte: 0, chunks: [] };
  for (const chunk of chunks) {
    if (chunk.direction !== 'in') continue;
    if (chunk.at <= after) seen.fromByte += chunk.bytes;
    else if (chunk.at <= to + SAME_MS) seen.chunks.push(chunk);
  }
  const run = runOf(seen, rttMs);
  const bursts = run.bursts.filter(({ lastAt }) => lastAt >= firstPacket - SAME_MS);
  return { bytes: bursts.reduce((sum, { fromByte, upTo }) => sum + upTo - fromByte, 0), bursts };
}

type SeenRun = { fromByte: number; chunks: SeenChunk[] };

function runOf({ fromByte, chunks }: SeenRun, rttMs: number): Run {
  const bursts: Burst[] = [];
  let upTo = fromByte;
  let last: SeenChunk | null = null;
  for (const chunk of chunks) {
    const burst = bursts.at(-1);
    const gapMs = last ? chunk.at - last.at : 0;
    if (burst && isWithinBurst(gapMs, rttMs))
      Object.assign(burst, { upTo: burst.upTo + chunk.bytes, lastAt: chunk.at });
    else {
      if (burst) burst.waitsOneTrip = isOneTrip(gapMs, rttMs);
      bursts.push({ fromByte: upTo, upTo: upTo + chunk.bytes, lastAt: chunk.at, waitsOneTrip: false });
    }
    upTo += chunk.bytes;
    last = chunk;
  }
  return { bytes: upTo - fromByte, bursts };
}

/** Round trips that this kind of handshake takes when nothing goes wrong. */
export function expectedRoundTrips(version: string | null, resumed: boolean, helloRetry: boolean): number | null {
  if (version === 'TLSv1.3') return helloRetry ? 2 : 1;
  if (version === 'TLSv1.2') return resumed ? 1 : 2;
  return null;
}

/** Whether tcp is too short to be the round-trip time that TLS saw (a SYN proxy), so that nothing can be counted by it. */
export function implausible({ answerMs }: Flights, tcpMs: number): boolean {
  return answerMs > IMPLAUSIBLE_FACTOR * tcpMs && answerMs - tcpMs > IMPLAUSIBLE_EXCESS_MS;
}
