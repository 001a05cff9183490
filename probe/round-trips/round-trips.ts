/**
 * Round trips, counted from the arrivals of chunks. flights.ts cuts the server's bytes into flights and finds the stalls
 * inside them, by the round-trip time of the connect or the kernel; loss.ts tells packet loss from slowness; window.ts
 * estimates the server's congestion window and what held each wait; this file counts per phase what was needed and what it
 * took, and lists the waits.
 */
import type { RoundTrips, Wait } from '#contract/result.ts';
import { roundMs } from '../format.ts';
import { MAX_CHUNKS_KEPT, type SeenChunk } from '../wire/wire.ts';
import {
  answerOf,
  expectedRoundTrips,
  flightsOf,
  fullFlightOf,
  implausible,
  type Stall,
  stallsBetween,
} from './flights.ts';
import { type KernelCounts, kernelRttOf, lossOf } from './loss.ts';
import { type WindowView, windowOf } from './window.ts';

export const MAX_WAITS = 16;

/** All that round trips are counted from. Instants are ms of one clock; what did not happen is null. */
export type RoundTripInput = {
  /** Arrivals and sendings from the ClientHello on, in order. */
  chunks: readonly SeenChunk[];
  /** The start of the probe, from which waits are dated. */
  start: number;
  /** Duration of the connect. */
  tcpMs: number;
  network: KernelCounts;
  version: string | null;
  resumed: boolean;
  helloRetry: boolean;
  /** Arrival of the last byte that the handshake needed. */
  handshakeEnd: number | null;
  /** Arrivals of the answer's first packet, of the last byte of its first record, and of the body's last byte. */
  firstPacket: number | null;
  firstUsable: number | null;
  /** Arrival of the last byte of the first record that holds some of the body. */
  firstBody: number | null;
  bodyEnd: number | null;
  /** Bytes of the server's full segments; null where unknown. */
  mss: number | null;
  /** In how many segments so many bytes of the connection came; null where that was not recorded. */
  segmentsBy(bytes: number): number | null;
};

/**
 * How many round trips each phase took and takes at best. A wait that a lost packet made is listed, but is no round trip
 * of the server's; where the connect's duration cannot be the round-trip time, nothing is counted by it. The request's
 * first packet costs one round trip however long the server works: its work cannot be distinguished from the path's delay.
 * A download needs none of its own; of one whose arrivals were not all kept none are counted.
 */
export function roundTripsOf(input: RoundTripInput): RoundTrips {
  const { chunks, tcpMs, network, handshakeEnd, firstPacket, firstUsable, firstBody, bodyEnd } = input;
  const until = handshakeEnd ?? Number.POSITIVE_INFINITY;
  const flights = flightsOf(chunks, tcpMs, until, kernelRttOf(network));
  const countable = flights !== null && handshakeEnd !== null && (!implausible(flights, tcpMs) || repeats(network));
  const answer = countable && firstPacket !== null && firstUsable !== null ? { firstPacket, firstUsable } : null;
  const between = (from: number, to: number) => (flights ? stallsBetween(chunks, from, to, flights.rttMs) : []);
  const answerStalls = answer ? between(answer.firstPacket, answer.firstUsable) : [];
  const bodyStalls = answer && firstBody !== null ? between(answer.firstPacket, firstBody) : [];
  const downloadStalls = answer && bodyEnd !== null ? between(answer.firstUsable, bodyEnd) : [];
  const allKept = chunks.length < MAX_CHUNKS_KEPT;
  const held = windowOf({
    handshake: flights && handshakeEnd !== null ? fullFlightOf(chunks, handshakeEnd, flights.rttMs) : null,
    answer:
      answer && flights && handshakeEnd !== null
        ? answerOf(chunks, handshakeEnd, answer.firstPacket, bodyEnd ?? answer.firstUsable, flights.rttMs)
        : null,
    mss: input.mss,
    segmentsBy: input.segmentsBy,
  });
  const lost = lossOf(network, tcpMs, flights).segment !== null;
  const counted = (stalls: Stall[]) => (lost ? 0 : stalls.length);
  return {
    tcp: { took: 1, expected: 1 },
    tls: {
      took: countable ? flights.alternations + counted(flights.stalls) : null,
      expected: expectedRoundTrips(input.version, input.resumed, input.helloRetry),
    },
    firstByte: { took: answer ? 1 + counted(answerStalls) : null, expected: 1 },
    firstPacket: { took: answer ? 1 : null, expected: 1 },
    firstBody: { took: answer && firstBody !== null ? 1 + counted(bodyStalls) : null, expected: 1 },
    download: { took: answer && bodyEnd !== null && allKept ? counted(downloadStalls) : null, expected: 0 },
    // A lost packet shrinks the window, and a resumed handshake fills none.
    serverWindow: countable && !lost ? held.window : null,
    waits: [
      ...waitsOf('tls', countable ? flights.stalls : [], input.start, lost ? null : held),
      ...waitsOf('firstByte', answerStalls, input.start, lost ? null : held),
      ...waitsOf('download', downloadStalls, input.start, lost ? null : held),
    ].slice(0, MAX_WAITS),
  };
}

/** A first answer that was late because a segment was lost says nothing about the connect. */
function repeats({ retransmits, synRetransmits }: KernelCounts): boolean {
  return (retransmits ?? 0) > (synRetransmits ?? 0);
}

export function waitsOf(phase: Wait['phase'], stalls: Stall[], start: number, held: WindowView | null): Wait[] {
  return stalls.map((stall) => ({
    phase,
    atMs: roundMs(Math.max(0, stall.from - start)),
    waitMs: roundMs(stall.gapMs),
    afterBytes: stall.afterBytes,
    segments: held?.segments(stall) ?? null,
    heldBy: held?.heldBy(stall) ?? 'unknown',
  }));
}
