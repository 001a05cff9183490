import type { Certificate, Handshake, ResultTls, Staple, WireRecord } from '#contract/result.ts';
import { chainOf, leafFactsOf } from './certificate.ts';
import type { Evidence } from './evidence.ts';
import { expectedRoundTrips, type Flights, flightsOf, implausible } from './flights.ts';
import { roundMs } from './phases.ts';
import { judgeStaple, noStaple } from './staple.ts';
import { groupName } from './wire/names.ts';
import type { WireObserver } from './wire/observer.ts';

const VERSIONS: Record<number, string> = { 769: 'TLSv1', 770: 'TLSv1.1', 771: 'TLSv1.2', 772: 'TLSv1.3' };

/** What is known of TLS; null where no byte of it was sent. A failed handshake still shows its records. */
export async function tlsOf(startedAt: Date, tcpMs: number | null, evidence: Evidence): Promise<ResultTls | null> {
  const { tap, line, secured } = evidence;
  if (!tap || !line || tcpMs === null || tap.wire.bytes.out === 0) return null;
  const resumed = secured?.resumed ?? false;
  const version = secured?.version ?? VERSIONS[tap.wire.serverHello?.version ?? 0] ?? null;
  return {
    version,
    cipher: secured?.cipher ?? null,
    group: groupOf(tap.wire),
    alpn: secured?.alpn ?? null,
    resumed,
    helloRetry: tap.wire.helloRetry,
    handshake: handshakeOf(evidence, tap.wire, tcpMs, version, resumed),
    certificate: certificateOf(evidence),
    staple: secured && !resumed ? await stapleOf(evidence, startedAt) : noStaple('not_observed'),
    wire: wireOf(tap.wire, evidence.instants.start),
  };
}

/** The group in clear text: the key share of a TLS 1.3 ServerHello, or the curve of a TLS 1.2 key exchange. */
function groupOf(wire: WireObserver): string | null {
  const group = wire.serverHello?.group ?? wire.curve;
  return group === null || group === undefined ? null : groupName(group);
}

/** Flights of the handshake as far as it came; null where the server said nothing. */
export function handshakeFlights({ tap, secured }: Evidence, tcpMs: number): Flights | null {
  const until = secured?.lastArrival ?? Number.POSITIVE_INFINITY;
  return tap ? flightsOf(tap.wire.chunks, tcpMs, until) : null;
}

function handshakeOf(
  evidence: Evidence,
  wire: WireObserver,
  tcpMs: number,
  version: string | null,
  resumed: boolean,
): Handshake {
  const { secured, instants } = evidence;
  const flights = handshakeFlights(evidence, tcpMs);
  const expected = secured ? expectedRoundTrips(version, resumed, wire.helloRetry) : null;
  const tlsMs = secured && instants.connect !== undefined ? secured.appconnect - instants.connect : null;
  const wireMs = secured && flights ? flights.wireMs : null;
  const untold = flights === null || expected === null || implausible(flights, tcpMs);
  return {
    roundTrips: untold ? null : flights.flights,
    expectedRoundTrips: expected,
    rttRatio: tlsMs !== null && tcpMs > 0 ? Math.min(1_000_000, roundMs(tlsMs / tcpMs)) : null,
    wireMs: wireMs === null ? null : roundMs(wireMs),
    localMs: wireMs === null || tlsMs === null ? null : roundMs(Math.max(0, tlsMs - wireMs)),
    flights: secured && flights ? flights.flights : null,
    records: secured?.records ?? wire.count('in'),
    bytesIn: secured?.bytesIn ?? wire.bytes.in,
    bytesOut: secured ? evidence.handshakeBytesOut : wire.bytes.out,
  };
}

/** A resumed handshake sends no certificate, and there is none to show. */
function certificateOf({ leaf, problem, tap }: Evidence): Certificate | null {
  if (!leaf) return null;
  const chain = chainOf(leaf, tap?.wire.sentChain ?? null);
  return {
    ...leafFactsOf(leaf),
    chainLength: chain.length,
    chainBytes: chain.bytes,
    verified: problem === null,
    verifyError: problem?.message.slice(0, 500) ?? null,
  };
}

async function stapleOf({ leaf, issuer, line }: Evidence, startedAt: Date): Promise<Staple> {
  const response = line?.staple() ?? null;
  if (!leaf) return noStaple('not_observed');
  if (!response) return noStaple(leafFactsOf(leaf).ocspUrl === null ? 'not_applicable' : 'missing');
  return judgeStaple(response, leaf.raw, issuer?.raw ?? null, startedAt);
}

function wireOf(wire: WireObserver, start: number): WireRecord[] {
  return wire.records.map(({ at, direction, name, bytes }) => ({
    atMs: roundMs(Math.max(0, at - start)),
    direction,
    type: name.slice(0, 32),
    bytes,
  }));
}
