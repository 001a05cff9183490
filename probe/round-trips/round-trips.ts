/**
 * Round trips, counted from the arrivals of chunks. flights.ts cuts the server's bytes into flights and finds the stalls
 * inside them, by the round-trip time of the connect or the kernel; loss.ts tells packet loss from slowness; this file
 * counts per phase what was needed and what it took, and lists the waits.
 */
import type { RoundTrips, Wait } from '#contract/result.ts';
import { roundMs } from '../format.ts';
import type { SeenChunk } from '../wire/wire.ts';
import { expectedRoundTrips, flightsOf, implausible, type Stall, stallsBetween } from './flights.ts';
import { type KernelCounts, kernelRttOf, lossOf } from './loss.ts';

const MAX_WAITS = 16;

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
  bodyEnd: number | null;
};

/**
 * How many round trips each phase took and takes at best. A wait that a lost packet made is listed, but is no round trip
 * of the server's; where the connect's duration cannot be the round-trip time, nothing is counted by it. The request's
 * first packet costs one round trip however long the server works: its work cannot be distinguished from the path's delay.
 */
export function roundTripsOf(input: RoundTripInput): RoundTrips {
  const { chunks, tcpMs, network, handshakeEnd, firstPacket, firstUsable, bodyEnd } = input;
  const until = handshakeEnd ?? Number.POSITIVE_INFINITY;
  const flights = flightsOf(chunks, tcpMs, until, kernelRttOf(network));
  const countable = flights !== null && handshakeEnd !== null && (!implausible(flights, tcpMs) || repeats(network));
  const answer = countable && firstPacket !== null && firstUsable !== null ? { firstPacket, firstUsable } : null;
  const between = (from: number, to: number) => (flights ? stallsBetween(chunks, from, to, flights.rttMs) : []);
  const answerStalls = answer ? between(answer.firstPacket, answer.firstUsable) : [];
  const downloadStalls = answer && bodyEnd !== null ? between(answer.firstUsable, bodyEnd) : [];
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
    waits: [
      ...waitsOf('tls', countable ? flights.stalls : [], input.start),
      ...waitsOf('firstByte', answerStalls, input.start),
      ...waitsOf('download', downloadStalls, input.start),
    ].slice(0, MAX_WAITS),
  };
}

/** A first answer that was late because a segment was lost says nothing about the connect. */
function repeats({ retransmits, synRetransmits }: KernelCounts): boolean {
  return (retransmits ?? 0) > (synRetransmits ?? 0);
}

function waitsOf(phase: Wait['phase'], stalls: Stall[], start: number): Wait[] {
  return stalls.map(({ from, gapMs, afterBytes }) => ({
    phase,
    atMs: roundMs(Math.max(0, from - start)),
    waitMs: roundMs(gapMs),
    afterBytes,
  }));
}
