import { ENGINE_VERSION, type Failure, type ProberState, type Result } from '#contract/result.ts';
import { findingsOf } from '../findings/findings.ts';
import { hostOf } from '../phases/connect.ts';
import type { Evidence } from '../phases/evidence.ts';
import { marksOf, originOf, phasesOf } from '../phases/phases.ts';
import type { ProbeRequest } from '../request.ts';
import { roundTripsOf } from '../round-trips/round-trips.ts';
import { httpOf } from './http-result.ts';
import { handshakeFlights, tlsOf } from './tls-result.ts';

/** Makes the Result of the evidence. All slow work (ASN.1, signatures) is done here, after the last stamp. */
export async function resultOf(
  request: ProbeRequest,
  startedAt: Date,
  evidence: Evidence,
  prober: ProberState,
): Promise<Result> {
  const marks = marksOf(evidence.stamps, evidence.cuts);
  const phases = phasesOf(marks, evidence.body !== null);
  const { caPem, sni } = request.settings;
  const whose = { caPem, host: sni ?? hostOf(new URL(request.url)) };
  const tls = await tlsOf(whose, startedAt, phases.tcp, evidence);
  const failure = evidence.failure ?? revocation(request, tls?.staple.status);
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
    network: evidence.network,
    tls,
    http: httpOf(evidence),
    roundTrips: null,
    prober,
    findings: [],
  };
  result.roundTrips = roundTripsIn(result, evidence);
  // One count in both places: a pause that a lost packet made is no round trip of the server's.
  if (tls && result.roundTrips) tls.handshake.roundTrips = result.roundTrips.tls.took;
  return {
    ...result,
    findings: findingsOf(
      result,
      phases.tcp === null ? null : handshakeFlights(evidence, phases.tcp),
      request.settings.alpn.includes('h2'),
    ),
  };
}

/** A verified staple that says revoked: browsers that read staples refuse such a site. */
function revocation({ settings }: ProbeRequest, status: string | undefined): Failure | null {
  if (status !== 'revoked' || !settings.verify) return null;
  const message = 'the stapled OCSP response says that the certificate is revoked';
  return { phase: 'tls', reason: 'cert_revoked', source: 'target', message };
}

/** Null where TLS was not reached. */
function roundTripsIn(
  { phases, tls, http, network }: Result,
  { tap, secured, stamps, cuts }: Evidence,
): Result['roundTrips'] {
  if (!tap || !tls || phases.tcp === null) return null;
  const afterRequest = (ms: number | null | undefined) =>
    stamps.pretransfer === undefined || ms === null || ms === undefined ? null : stamps.pretransfer + ms;
  return roundTripsOf({
    chunks: tap.wire.chunks,
    start: originOf(stamps, cuts),
    tcpMs: phases.tcp,
    network,
    version: tls.version,
    resumed: tls.resumed,
    helloRetry: tls.helloRetry,
    handshakeEnd: secured?.lastArrival ?? null,
    firstPacket: afterRequest(http?.firstPacketMs),
    firstUsable: afterRequest(http?.firstUsableMs),
    bodyEnd: stamps.bodyEnd ?? null,
  });
}
