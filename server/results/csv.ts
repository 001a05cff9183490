import type { Result } from '#contract/result.ts';

type Field = string | number | boolean | null | undefined;

/** Columns of the CSV export, named by their path in a Result. Names stay; new ones are added at the end. */
const COLUMNS: [name: string, read: (result: Result) => Field][] = [
  ['id', (r) => r.id],
  ['startedAt', (r) => r.startedAt],
  ['targetId', (r) => r.targetId],
  ['url', (r) => r.url],
  ['demo', (r) => r.demo],
  ['vantage.id', (r) => r.vantage?.id],
  ['vantage.name', (r) => r.vantage?.name],
  ['vantage.country', (r) => r.vantage?.country],
  ['vantage.region', (r) => r.vantage?.region],
  ['vantage.city', (r) => r.vantage?.city],
  ['vantage.carrier', (r) => r.vantage?.carrier],
  ['vantage.asn', (r) => r.vantage?.asn],
  ['vantage.access', (r) => r.vantage?.access],
  ['ok', (r) => r.ok],
  ['failure.phase', (r) => r.failure?.phase],
  ['failure.reason', (r) => r.failure?.reason],
  ['failure.source', (r) => r.failure?.source],
  ['failure.message', (r) => r.failure?.message],
  ['phases.dns', (r) => r.phases.dns],
  ['phases.tcp', (r) => r.phases.tcp],
  ['phases.tls', (r) => r.phases.tls],
  ['phases.firstByte', (r) => r.phases.firstByte],
  ['phases.download', (r) => r.phases.download],
  ['phases.total', (r) => r.phases.total],
  ['network.peerAddress', (r) => r.network.peerAddress],
  ['network.peerPort', (r) => r.network.peerPort],
  ['network.family', (r) => r.network.family],
  ['network.resolver', (r) => r.network.resolver],
  ['network.minRttMs', (r) => r.network.minRttMs],
  ['network.retransmits', (r) => r.network.retransmits],
  ['tls.version', (r) => r.tls?.version],
  ['tls.cipher', (r) => r.tls?.cipher],
  ['tls.group', (r) => r.tls?.group],
  ['tls.alpn', (r) => r.tls?.alpn],
  ['tls.resumed', (r) => r.tls?.resumed],
  ['tls.helloRetry', (r) => r.tls?.helloRetry],
  ['tls.handshake.roundTrips', (r) => r.tls?.handshake.roundTrips],
  ['tls.handshake.expectedRoundTrips', (r) => r.tls?.handshake.expectedRoundTrips],
  ['tls.handshake.rttRatio', (r) => r.tls?.handshake.rttRatio],
  ['tls.handshake.wireMs', (r) => r.tls?.handshake.wireMs],
  ['tls.handshake.localMs', (r) => r.tls?.handshake.localMs],
  ['tls.handshake.bytesIn', (r) => r.tls?.handshake.bytesIn],
  ['tls.certificate.subject', (r) => r.tls?.certificate?.subject],
  ['tls.certificate.issuer', (r) => r.tls?.certificate?.issuer],
  ['tls.certificate.notAfter', (r) => r.tls?.certificate?.notAfter],
  ['tls.certificate.sha256', (r) => r.tls?.certificate?.sha256],
  ['tls.certificate.chainBytes', (r) => r.tls?.certificate?.chainBytes],
  ['tls.certificate.verified', (r) => r.tls?.certificate?.verified],
  ['tls.staple.status', (r) => r.tls?.staple.status],
  ['http.version', (r) => r.http?.version],
  ['http.status', (r) => r.http?.status],
  ['http.bytes', (r) => r.http?.bytes],
  ['http.server', (r) => r.http?.server],
  ['prober.loopDelayMs', (r) => r.prober.loopDelayMs],
  ['prober.inFlight', (r) => r.prober.inFlight],
  ['prober.clean', (r) => r.prober.clean],
  ['engineVersion', (r) => r.engineVersion],
  ['variant', (r) => r.variant ?? 'main'],
  ['mainId', (r) => r.mainId],
  ['network.rttMs', (r) => r.network.rttMs],
  ['network.synRetransmits', (r) => r.network.synRetransmits],
  ['network.outOfOrder', (r) => r.network.outOfOrder],
  ['tls.certificate.signature', (r) => r.tls?.certificate?.signature],
  ['tls.certificate.sent.messageBytes', (r) => r.tls?.certificate?.sent?.messageBytes],
  ['tls.certificate.sent.problems', (r) => r.tls?.certificate?.sent?.problems.join(' ')],
  ['tls.session.earlyDataBytes', (r) => r.tls?.session?.earlyDataBytes],
  ['http.firstPacketMs', (r) => r.http?.firstPacketMs],
  ['http.firstUsableMs', (r) => r.http?.firstUsableMs],
  ['roundTrips.tcp.took', (r) => r.roundTrips?.tcp.took],
  ['roundTrips.tls.took', (r) => r.roundTrips?.tls.took],
  ['roundTrips.tls.expected', (r) => r.roundTrips?.tls.expected],
  ['roundTrips.firstPacket.took', (r) => r.roundTrips?.firstPacket.took],
  ['roundTrips.firstByte.took', (r) => r.roundTrips?.firstByte.took],
  ['roundTrips.firstByte.expected', (r) => r.roundTrips?.firstByte.expected],
  ['prober.lateMs', (r) => r.prober.lateMs],
  ['prober.stampedBy', (r) => r.prober.stampedBy],
  ['prober.clockOffsetMs', (r) => r.prober.clockOffsetMs],
];

/** The header row, RFC 4180: CRLF at the end. */
export const CSV_HEADER = `${COLUMNS.map(([name]) => name).join(',')}\r\n`;

/** One result as a row. Null is an empty field. */
export function csvRow(result: Result): string {
  return `${COLUMNS.map(([, read]) => csvField(read(result))).join(',')}\r\n`;
}

function csvField(value: Field): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  // A spreadsheet runs text that begins like a formula: a quote in front keeps it text. Servers choose such text.
  const safe = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
