import { ENGINE_VERSION, type Failure, type ProberState, type Result, type ResultHttp } from '#contract/result.ts';
import type { Evidence } from './evidence.ts';
import { findingsOf } from './findings.ts';
import { marksOf, phasesOf } from './phases.ts';
import type { ProbeRequest } from './request.ts';
import { handshakeFlights, tlsOf } from './tls-result.ts';

/** Makes the Result of the evidence. All slow work (ASN.1, signatures) is done here, after the last stamp. */
export async function resultOf(
  request: ProbeRequest,
  startedAt: Date,
  evidence: Evidence,
  prober: ProberState,
): Promise<Result> {
  const marks = marksOf(evidence.instants);
  const phases = phasesOf(marks, evidence.body !== null);
  const tls = await tlsOf(startedAt, phases.tcp, evidence);
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
    prober,
    findings: [],
  };
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

function httpOf({ head, body, exchange, secured, tap }: Evidence): ResultHttp | null {
  if (!head || !tap) return null;
  // Tickets of TLS 1.3 are application records too, and some servers send them in front of the response.
  const tickets = secured?.version === 'TLSv1.3' ? tap.ticketArrivals.filter((at) => at === head.at).length : 0;
  const records = tap.wire.responseRecords(head.at, tickets);
  return {
    version: head.version,
    status: head.status,
    bytes: body?.bytes ?? exchange?.bytes() ?? 0,
    firstRecordBytes: records.first,
    maxRecordBytes: records.max,
    records: records.count,
    server: head.server,
    location: head.location,
  };
}
