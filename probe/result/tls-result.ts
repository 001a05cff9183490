import type { Handshake, ResultTls, WireRecord } from '#contract/tls.ts';
import { roundMs } from '../format.ts';
import type { Evidence } from '../phases/evidence.ts';
import { handshakeMsOf, originOf } from '../phases/phases.ts';
import { expectedRoundTrips, type Flights, flightsOf, implausible } from '../round-trips/flights.ts';
import { kernelRttOf } from '../round-trips/loss.ts';
import { sessionOfferOf } from '../tls/session-offer.ts';
import { groupName, versionName } from '../wire/names.ts';
import type { WireObserver } from '../wire/wire.ts';
import { hellosOf } from './hellos.ts';
import { certificateOf, stapleOf, whatServerShowed } from './server-certificate.ts';

/**
 * What is known of TLS; null where no byte of it was sent. A failed handshake still shows its records. `caPem` are the
 * user's own roots, `host` whom the server had to prove to be.
 */
export async function tlsOf(
  { caPem, host }: { caPem: string | null; host: string },
  startedAt: Date,
  tcpMs: number | null,
  evidence: Evidence,
): Promise<ResultTls | null> {
  const { tap, line, secured } = evidence;
  if (!tap || !line || tcpMs === null || tap.wire.bytes.out === 0) return null;
  const resumed = secured?.resumed ?? false;
  const { serverHello } = tap.wire;
  const version = secured?.version ?? (serverHello ? versionName(serverHello.version) : null);
  const shown = whatServerShowed(evidence, caPem);
  return {
    version,
    cipher: secured?.cipher ?? null,
    group: groupOf(tap.wire),
    alpn: secured?.alpn ?? serverHello?.alpn ?? null,
    resumed,
    helloRetry: tap.wire.helloRetry,
    handshake: handshakeOf(evidence, tap.wire, tcpMs, version, resumed),
    certificate: certificateOf(shown, evidence, host),
    staple: await stapleOf(shown, line.staple(), startedAt),
    hellos: hellosOf(tap.wire),
    session: sessionOfferOf(version, line.session(), tap.ticketArrivals.length),
    wire: wireOf(tap.wire, originOf(evidence.stamps, evidence.cuts)),
  };
}

/** The group in clear text: the key share of a TLS 1.3 ServerHello, or the curve of a TLS 1.2 key exchange. */
function groupOf(wire: WireObserver): string | null {
  const group = wire.serverHello?.group ?? wire.keyExchange?.curve;
  return group === null || group === undefined ? null : groupName(group);
}

/** Flights of the handshake as far as it came; null where the server said nothing. */
export function handshakeFlights({ tap, secured, network }: Evidence, tcpMs: number): Flights | null {
  const until = secured?.lastArrival ?? Number.POSITIVE_INFINITY;
  return tap ? flightsOf(tap.wire.chunks, tcpMs, until, kernelRttOf(network)) : null;
}

function handshakeOf(
  evidence: Evidence,
  wire: WireObserver,
  tcpMs: number,
  version: string | null,
  resumed: boolean,
): Handshake {
  const { secured, stamps, cuts } = evidence;
  const flights = handshakeFlights(evidence, tcpMs);
  const expected = secured ? expectedRoundTrips(version, resumed, wire.helloRetry) : null;
  const tlsMs = handshakeMsOf(stamps, cuts);
  const wireMs = secured && flights ? flights.wireMs : null;
  const untold = flights === null || expected === null || implausible(flights, tcpMs);
  return {
    roundTrips: untold ? null : flights.flights,
    expectedRoundTrips: expected,
    rttRatio: tlsMs !== null && tcpMs > 0 ? Math.min(1_000_000, roundMs(Math.max(0, tlsMs) / tcpMs)) : null,
    wireMs: wireMs === null ? null : roundMs(wireMs),
    localMs: secured ? roundMs(cuts.beforeHelloMs + Math.max(0, secured.doneAt - secured.lastArrival)) : null,
    flights: secured && flights ? flights.flights : null,
    records: secured?.records ?? wire.count('in'),
    bytesIn: secured?.bytesIn ?? wire.bytes.in,
    bytesOut: secured ? evidence.handshakeBytesOut : wire.bytes.out,
  };
}

function wireOf(wire: WireObserver, start: number): WireRecord[] {
  return wire.records.map(({ at, direction, name, bytes }) => ({
    atMs: roundMs(Math.max(0, at - start)),
    direction,
    type: name.slice(0, 32),
    bytes,
  }));
}
