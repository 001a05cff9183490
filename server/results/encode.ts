import type { Result } from '#contract/result.ts';
import { givenOf, stamperCode, variantCode } from '#server/database/codes.ts';
import type { CopyWriter } from './copy-writer.ts';
import { TLS_COLUMNS, writeTls } from './encode-tls.ts';
import type { Lookup } from './lookup.ts';
import { type Repeated, sharedText } from './repeated.ts';
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

const VARIANT = ['variant', 'main_id', 'given'];
function writeVariant(out: CopyWriter, result: Result): void {
  out.int2(variantCode(result.variant));
  out.uuid(result.mainId ?? null);
  out.int2(givenOf(result));
}

const PROBER = ['clean', 'loop_delay_us', 'in_flight', 'late_us', 'stamped_by', 'clock_offset_ms'];
function writeProber(out: CopyWriter, prober: Result['prober']): void {
  out.bool(prober.clean);
  out.micros(prober.loopDelayMs);
  out.int4(prober.inFlight);
  out.micros(prober.lateMs ?? null);
  out.int2(stamperCode(prober.stampedBy));
  out.float8(prober.clockOffsetMs ?? null);
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
  'rtt_us',
  'syn_retransmits',
  'segments_in',
  'segments_out',
  'out_of_order',
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
  out.micros(network.rttMs ?? null);
  out.int4(network.synRetransmits ?? null);
  out.int4(network.segmentsIn ?? null);
  out.int4(network.segmentsOut ?? null);
  out.int4(network.outOfOrder ?? null);
}

const HTTP = [
  'http_version_id',
  'http_status',
  'http_bytes',
  'http_first_record_bytes',
  'http_max_record_bytes',
  'http_records',
  'http_server_id',
  'first_packet_us',
  'first_usable_us',
];
function writeHttp(out: CopyWriter, http: Result['http'], lookup: Lookup): void {
  out.int4(lookup.string(http?.version ?? null));
  out.int2(http?.status ?? null);
  out.int4(http?.bytes ?? null);
  out.int4(http?.firstRecordBytes ?? null);
  out.int4(http?.maxRecordBytes ?? null);
  out.int4(http?.records ?? null);
  out.int4(lookup.string(http?.server ?? null));
  out.micros(http?.firstPacketMs ?? null);
  out.micros(http?.firstUsableMs ?? null);
}

/** The columns of `result` in the order in which `writeResult` writes them. */
export const RESULT_COLUMNS = [
  ...HEAD,
  ...VARIANT,
  ...PROBER,
  ...FAILURE,
  ...PHASES,
  ...MARKS,
  ...NETWORK,
  ...TLS_COLUMNS,
  ...HTTP,
  'round_trip_counts_id',
];

/** One row; `repeated` are the result's own. */
export function writeResult(out: CopyWriter, result: StorableResult, repeated: Repeated, lookup: Lookup): void {
  out.row(RESULT_COLUMNS.length);
  writeHead(out, result, lookup);
  writeVariant(out, result);
  writeProber(out, result.prober);
  writeFailure(out, result.failure, lookup);
  writePhases(out, result.phases);
  writeMarks(out, result.marks);
  writeNetwork(out, result.network, lookup);
  writeTls(out, result.tls, repeated, lookup);
  writeHttp(out, result.http, lookup);
  out.int4(lookup.string(sharedText(repeated.roundTrips)));
}
