import type { Result } from '#contract/result.ts';
import type { CopyWriter } from './copy-writer.ts';
import type { Lookup } from './lookup.ts';
import type { StorableResult } from './storable.ts';

// Each group of columns stands beside the function that writes it, in the same order.

const HEAD = ['target_id', 'started_at', 'id', 'vantage_id', 'url_id', 'engine_version', 'demo', 'ok'];
function writeHead(out: CopyWriter, result: StorableResult, lookup: Lookup): void {
  out.uuid(result.targetId);
  out.time(Date.parse(result.startedAt));
  out.uuid(result.id);
  out.uuid(result.vantage.id);
  out.int4(lookup.string(result.url));
  out.int2(result.engineVersion);
  out.bool(result.demo);
  out.bool(result.ok);
}

const PROBER = ['clean', 'loop_delay_us', 'in_flight'];
function writeProber(out: CopyWriter, prober: Result['prober']): void {
  out.bool(prober.clean);
  out.micros(prober.loopDelayMs);
  out.int4(prober.inFlight);
}

const FAILURE = ['failure_phase_id', 'failure_reason_id', 'failure_source_id'];
function writeFailure(out: CopyWriter, failure: Result['failure'], lookup: Lookup): void {
  out.int4(lookup.string(failure?.phase ?? null));
  out.int4(lookup.string(failure?.reason ?? null));
  out.int4(lookup.string(failure?.source ?? null));
}

const PHASES = ['dns_us', 'tcp_us', 'tls_us', 'first_byte_us', 'download_us', 'total_us'];
function writePhases(out: CopyWriter, phases: Result['phases']): void {
  out.micros(phases.dns);
  out.micros(phases.tcp);
  out.micros(phases.tls);
  out.micros(phases.firstByte);
  out.micros(phases.download);
  out.micros(phases.total);
}

const MARKS = ['namelookup_us', 'connect_us', 'appconnect_us', 'pretransfer_us', 'starttransfer_us', 'end_us'];
function writeMarks(out: CopyWriter, marks: Result['marks']): void {
  out.micros(marks.namelookup);
  out.micros(marks.connect);
  out.micros(marks.appconnect);
  out.micros(marks.pretransfer);
  out.micros(marks.starttransfer);
  out.micros(marks.total);
}

const NETWORK = [
  'peer_address_id',
  'peer_port',
  'local_address_id',
  'local_port',
  'family',
  'resolver_id',
  'min_rtt_us',
  'retransmits',
  'snd_cwnd',
];
function writeNetwork(out: CopyWriter, network: Result['network'], lookup: Lookup): void {
  out.int4(lookup.string(network.peerAddress));
  out.int4(network.peerPort);
  out.int4(lookup.string(network.localAddress));
  out.int4(network.localPort);
  out.int2(network.family);
  out.int4(lookup.string(network.resolver));
  out.micros(network.minRttMs);
  out.int4(network.retransmits);
  out.int4(network.sndCwnd);
}

const TLS = ['tls_version_id', 'cipher_id', 'group_id', 'alpn_id', 'resumed', 'hello_retry'];
function writeTls(out: CopyWriter, tls: Result['tls'], lookup: Lookup): void {
  out.int4(lookup.string(tls?.version ?? null));
  out.int4(lookup.string(tls?.cipher ?? null));
  out.int4(lookup.string(tls?.group ?? null));
  out.int4(lookup.string(tls?.alpn ?? null));
  out.bool(tls?.resumed ?? null);
  out.bool(tls?.helloRetry ?? null);
}

const HANDSHAKE = [
  'round_trips',
  'expected_round_trips',
  'rtt_ratio',
  'wire_us',
  'local_us',
  'flights',
  'handshake_records',
  'bytes_in',
  'bytes_out',
];
function writeHandshake(out: CopyWriter, tls: Result['tls']): void {
  const handshake = tls?.handshake;
  out.int2(handshake?.roundTrips ?? null);
  out.int2(handshake?.expectedRoundTrips ?? null);
  out.float8(handshake?.rttRatio ?? null);
  out.micros(handshake?.wireMs ?? null);
  out.micros(handshake?.localMs ?? null);
  out.int4(handshake?.flights ?? null);
  out.int4(handshake?.records ?? null);
  out.int4(handshake?.bytesIn ?? null);
  out.int4(handshake?.bytesOut ?? null);
}

const CERTIFICATE = ['certificate_id', 'chain_length', 'chain_bytes', 'verified'];
function writeCertificate(out: CopyWriter, tls: Result['tls'], lookup: Lookup): void {
  const certificate = tls?.certificate;
  out.int4(lookup.certificate(certificate));
  out.int4(certificate?.chainLength ?? null);
  out.int4(certificate?.chainBytes ?? null);
  out.bool(certificate?.verified ?? null);
}

const STAPLE = ['staple_status_id', 'staple_produced_at', 'staple_this_update', 'staple_next_update', 'staple_bytes'];
function writeStaple(out: CopyWriter, tls: Result['tls'], lookup: Lookup): void {
  const staple = tls?.staple;
  out.int4(lookup.string(staple?.status ?? null));
  out.time(msOf(staple?.producedAt));
  out.time(msOf(staple?.thisUpdate));
  out.time(msOf(staple?.nextUpdate));
  out.int4(staple?.bytes ?? null);
}

const HTTP = [
  'http_version_id',
  'http_status',
  'http_bytes',
  'http_first_record_bytes',
  'http_max_record_bytes',
  'http_records',
  'http_server_id',
];
function writeHttp(out: CopyWriter, http: Result['http'], lookup: Lookup): void {
  out.int4(lookup.string(http?.version ?? null));
  out.int2(http?.status ?? null);
  out.int4(http?.bytes ?? null);
  out.int4(http?.firstRecordBytes ?? null);
  out.int4(http?.maxRecordBytes ?? null);
  out.int4(http?.records ?? null);
  out.int4(lookup.string(http?.server ?? null));
}

/** The columns of `result` in the order in which `writeResult` writes them. */
export const RESULT_COLUMNS = [
  ...HEAD,
  ...PROBER,
  ...FAILURE,
  ...PHASES,
  ...MARKS,
  ...NETWORK,
  ...TLS,
  ...HANDSHAKE,
  ...CERTIFICATE,
  ...STAPLE,
  ...HTTP,
];

export function writeResult(out: CopyWriter, result: StorableResult, lookup: Lookup): void {
  out.row(RESULT_COLUMNS.length);
  writeHead(out, result, lookup);
  writeProber(out, result.prober);
  writeFailure(out, result.failure, lookup);
  writePhases(out, result.phases);
  writeMarks(out, result.marks);
  writeNetwork(out, result.network, lookup);
  writeTls(out, result.tls, lookup);
  writeHandshake(out, result.tls);
  writeCertificate(out, result.tls, lookup);
  writeStaple(out, result.tls, lookup);
  writeHttp(out, result.http, lookup);
}

function msOf(instant: string | null | undefined): number | null {
  return instant ? Date.parse(instant) : null;
}
