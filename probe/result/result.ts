/**
 * The Result of a probe, made once it is over, of the last stage that it reached: all slow work (ASN.1, signatures) is
 * done here, after the last stamp. `resultOf` derives the marks and phases, describes the network (network.ts), TLS with
 * the server's certificate and staple (tls.ts, server-certificate.ts) and the answer (http.ts), counts round trips
 * (../round-trips) and says what was wasteful or wrong (../findings).
 */
import {
  connectMsOf,
  ENGINE_VERSION,
  type Failure,
  type ProberState,
  type Result,
  type ResultNetwork,
} from '#contract/result.ts';
import { findingsOf } from '../findings/findings.ts';
import { oddityFindings } from '../findings/http.ts';
import { roundMs } from '../format.ts';
import { cutsOf, handshakeMsOf, marksOf, originOf, phasesOf, stampsOf } from '../phases/phases.ts';
import { answeredOf, answeringOf, connectedOf, type Reached, securedOf } from '../phases/stages.ts';
import { hostOf, type ProbeRequest } from '../request.ts';
import { flightsOf } from '../round-trips/flights.ts';
import { kernelRttOf } from '../round-trips/loss.ts';
import { roundTripsOf } from '../round-trips/round-trips.ts';
import { httpOf } from './http.ts';
import { tlsOf } from './tls.ts';

/** How a probe ended: how far it came, when it was over (the clock's ms), and what went wrong, if anything did. */
export type Outcome = {
  reached: Reached;
  endedAt: number;
  failure: Failure | null;
  network: ResultNetwork;
  prober: ProberState;
};

/** Makes the Result; never throws for anything that a server sent. */
export function resultOf(request: ProbeRequest, outcome: Outcome): Result {
  const { reached, network, prober } = outcome;
  const { startedAt } = reached;
  const stamps = stampsOf(reached, outcome.endedAt);
  const cuts = cutsOf(reached);
  const origin = originOf(stamps, cuts);
  const marks = marksOf(stamps, cuts);
  const phases = phasesOf(marks, answeredOf(reached) !== null);
  const connected = connectedOf(reached);
  const secured = securedOf(reached);
  const answering = answeringOf(reached);
  const handshakeEnd = secured?.handshake.lastArrival ?? null;
  const tcpMs = connectMsOf({ network, phases }) ?? 0;
  const until = handshakeEnd ?? Number.POSITIVE_INFINITY;
  connected?.connection.kernel?.collect();
  const flights = connected && flightsOf(connected.tap.wire.chunks, tcpMs, until, kernelRttOf(network));
  const { caPem, sni, alpn } = request.settings;
  const times = { origin, tcpMs, handshakeMs: handshakeMsOf(stamps, cuts), beforeHelloMs: cuts.beforeHelloMs };
  const whose = { caPem, host: sni ?? hostOf(new URL(request.url)) };
  const tls = connected && tlsOf(whose, connected, secured, flights, times);
  const http = answering && httpOf(answering, outcome.failure, origin);
  const failure = outcome.failure ?? revocation(request, tls?.staple.status);
  const afterRequest = (ms: number | null | undefined) =>
    stamps.pretransfer === undefined || ms === null || ms === undefined ? null : stamps.pretransfer + ms;
  const roundTrips =
    connected &&
    tls &&
    roundTripsOf({
      chunks: connected.tap.wire.chunks,
      start: origin,
      tcpMs,
      network,
      version: tls.version,
      resumed: tls.resumed,
      helloRetry: tls.helloRetry,
      handshakeEnd,
      firstPacket: afterRequest(http?.firstPacketMs),
      firstUsable: afterRequest(http?.firstUsableMs),
      firstBody: stamps.firstBody ?? null,
      bodyEnd: stamps.bodyEnd ?? null,
      mss: network.mss ?? null,
      segmentsBy: (bytes) => connected.connection.kernel?.watch.log.segmentsBy(bytes) ?? null,
    });
  if (tls && roundTrips && flights) {
    // One count in both places: a pause that a lost packet made is no round trip of the server's.
    tls.handshake.roundTrips = roundTrips.tls.took;
    tls.handshake.workMs = workOf(tls.handshake.wireMs, roundTrips.tls.took, flights.rttMs);
    if (http) http.workMs = workOf(http.firstUsableMs, roundTrips.firstByte.took, flights.rttMs);
  }
  const result: Result = {
    id: request.id,
    engineVersion: ENGINE_VERSION,
    url: request.url,
    targetId: request.targetId,
    vantage: request.vantage,
    demo: request.demo,
    startedAt: startedAt.toISOString(),
    ok: failure === null,
    failure,
    phases,
    marks,
    network,
    tls,
    http,
    roundTrips,
    prober,
    findings: [],
  };
  const odd = oddityFindings(answering?.exchange.oddities() ?? []);
  return { ...result, findings: [...findingsOf(result, flights, alpn.includes('h2')), ...odd] };
}

/** What a wait (ms) was longer than the round trips that it took: the server's own work, with what the path added to it. */
function workOf(waitMs: number | null | undefined, roundTrips: number | null, rttMs: number): number | null {
  return typeof waitMs === 'number' && roundTrips !== null ? roundMs(Math.max(0, waitMs - roundTrips * rttMs)) : null;
}

/** A verified staple that says revoked: browsers that read staples refuse such a site. */
function revocation({ settings }: ProbeRequest, status: string | undefined): Failure | null {
  if (status !== 'revoked' || !settings.verify) return null;
  const message = 'the stapled OCSP response says that the certificate is revoked';
  return { phase: 'tls', reason: 'cert_revoked', source: 'target', message };
}
