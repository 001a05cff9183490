import { describe, expect, it } from 'vitest';
import { CSV_COLUMNS, CSV_HEADER } from '#server/results/csv.ts';

/** What outsiders read by name or by place: never changed, only added to. */
const COLUMNS_SO_FAR = `id, startedAt, targetId, url, demo, vantage.id, vantage.name, vantage.country, vantage.region, vantage.city,
  vantage.carrier, vantage.asn, vantage.access, ok, failure.phase, failure.reason, failure.source,
  failure.message, phases.dns, phases.tcp, phases.tls, phases.firstByte, phases.download, phases.total,
  network.peerAddress, network.peerPort, network.family, network.resolver, network.minRttMs,
  network.retransmits, tls.version, tls.cipher, tls.group, tls.alpn, tls.resumed, tls.helloRetry,
  tls.handshake.roundTrips, tls.handshake.expectedRoundTrips, tls.handshake.rttRatio, tls.handshake.wireMs,
  tls.handshake.localMs, tls.handshake.bytesIn, tls.certificate.subject, tls.certificate.issuer,
  tls.certificate.notAfter, tls.certificate.sha256, tls.certificate.chainBytes, tls.certificate.verified,
  tls.staple.status, http.version, http.status, http.bytes, http.server, prober.loopDelayMs, prober.inFlight,
  prober.clean, engineVersion, variant, mainId, network.rttMs, network.synRetransmits, network.outOfOrder,
  tls.certificate.signature, tls.certificate.sent.messageBytes, tls.certificate.sent.problems,
  tls.session.earlyDataBytes, http.firstPacketMs, http.firstUsableMs, roundTrips.tcp.took,
  roundTrips.tls.took, roundTrips.tls.expected, roundTrips.firstPacket.took, roundTrips.firstByte.took,
  roundTrips.firstByte.expected, prober.lateMs, prober.stampedBy, prober.clockOffsetMs,
  phases.firstBody, network.mss, tls.handshake.workMs, tls.keyExchange, tls.falseStart, tls.flightBytes,
  tls.certificateCompression, http.firstBodyRecordBytes, http.encoding, http.altSvc, http.keepAlive, http.workMs,
  roundTrips.firstBody.took, roundTrips.download.took, roundTrips.serverWindow.segments,
  roundTrips.serverWindow.bytes, roundTrips.serverWindow.exact, network.attemptMs, tls.certificate.sent.uncompressedBytes`;

describe('the columns of the CSV export', () => {
  it('are those of before in their places, and new ones after them', () => {
    const before = COLUMNS_SO_FAR.split(/[,\s]+/);
    expect(CSV_HEADER.trim().split(',').slice(0, before.length)).toEqual(before);
  });

  it('have each a place of its own, without a gap', () => {
    expect(CSV_COLUMNS.map(({ place }) => place)).toEqual(CSV_COLUMNS.map((_, index) => index + 1));
  });
});
