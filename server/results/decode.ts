import { type Failure, Result, type ResultHttp } from '#contract/result.ts';
import { stamperOf, variantOf, whereGiven } from '#server/database/codes.ts';
import { stringsOf } from '#server/database/dictionary.ts';
import { vantageLabels, vantageRef } from '#server/vantages/labels.ts';
import { certificatesOf } from './certificates.ts';
import { tlsOf } from './decode-tls.ts';
import { Evidence } from './evidence.ts';
import { ms, type Names, name } from './names.ts';
import { roundTripsOf } from './repeated.ts';
import type { ResultRow } from './row.ts';

/** Rows back to Results, as they were sent (durations to a microsecond). */
export async function decodeRows(rows: ResultRow[]): Promise<Result[]> {
  const [strings, certificates, vantages] = await Promise.all([
    stringsOf(new Set(rows.flatMap(stringIds))),
    certificatesOf(new Set(rows.flatMap((row) => row.certificate_id ?? []))),
    vantageLabels(),
  ]);
  return rows.map((row) => decodeRow(row, { strings, certificates, vantages }));
}

function stringIds(row: ResultRow): number[] {
  const ids = [
    row.url_id,
    row.failure_phase_id,
    row.failure_reason_id,
    row.failure_source_id,
    row.peer_address_id,
    row.local_address_id,
    row.resolver_id,
    row.tls_version_id,
    row.cipher_id,
    row.group_id,
    row.alpn_id,
    row.staple_status_id,
    row.http_version_id,
    row.http_server_id,
    row.signature_id,
    row.sent_chain_id,
    row.hellos_id,
    row.session_offer_id,
    row.round_trip_counts_id,
  ];
  return ids.filter((id) => id !== null);
}

function decodeRow(row: ResultRow, names: Names): Result {
  const evidence = Evidence.parse(row.evidence ?? {});
  const vantage = names.vantages.get(row.vantage_id);
  return {
    id: row.id,
    ...(row.variant === null ? {} : { variant: variantOf(row.variant) }),
    ...whereGiven(row.given, 'mainId', row.main_id),
    engineVersion: row.engine_version,
    url: names.strings.get(row.url_id) ?? '',
    targetId: row.target_id,
    vantage: vantage ? vantageRef(vantage) : null,
    demo: row.demo,
    startedAt: row.started_at.toISOString(),
    ok: row.ok,
    failure: failureOf(row, names, evidence),
    ...timesOf(row),
    network: networkOf(row, names),
    tls: row.resumed === null ? null : tlsOf(row, row.resumed, names, evidence),
    http: httpOf(row, names, evidence),
    ...roundTripsOf(name(names.strings, row.round_trip_counts_id), evidence.waits ?? []),
    prober: proberOf(row),
    findings: evidence.findings ?? [],
  };
}

function timesOf(row: ResultRow): Pick<Result, 'phases' | 'marks'> {
  return {
    phases: {
      dns: ms(row.dns_us),
      tcp: ms(row.tcp_us),
      tls: ms(row.tls_us),
      firstByte: ms(row.first_byte_us),
      download: ms(row.download_us),
      total: ms(row.total_us),
    },
    marks: {
      namelookup: ms(row.namelookup_us),
      connect: ms(row.connect_us),
      appconnect: ms(row.appconnect_us),
      pretransfer: ms(row.pretransfer_us),
      starttransfer: ms(row.starttransfer_us),
      total: ms(row.end_us),
    },
  };
}

// The dictionary holds what the contract let in, so a value of a closed list is read back through the contract.
const { failure: FailureShape, http: HttpShape } = Result.shape;

function failureOf(row: ResultRow, { strings }: Names, { message }: Evidence): Failure | null {
  if (row.failure_reason_id === null) return null;
  return FailureShape.parse({
    phase: name(strings, row.failure_phase_id),
    reason: name(strings, row.failure_reason_id),
    source: name(strings, row.failure_source_id),
    message: message ?? '',
  });
}

function networkOf(row: ResultRow, { strings }: Names): Result['network'] {
  return {
    peerAddress: name(strings, row.peer_address_id),
    peerPort: row.peer_port,
    localAddress: name(strings, row.local_address_id),
    localPort: row.local_port,
    family: row.family,
    resolver: name(strings, row.resolver_id),
    minRttMs: ms(row.min_rtt_us),
    retransmits: row.retransmits,
    sndCwnd: row.snd_cwnd,
    ...whereGiven(row.given, 'rttMs', ms(row.rtt_us)),
    ...whereGiven(row.given, 'synRetransmits', row.syn_retransmits),
    ...whereGiven(row.given, 'segmentsIn', row.segments_in),
    ...whereGiven(row.given, 'segmentsOut', row.segments_out),
    ...whereGiven(row.given, 'outOfOrder', row.out_of_order),
  };
}

function httpOf(row: ResultRow, { strings }: Names, { location, bodyCut }: Evidence): ResultHttp | null {
  if (row.http_version_id === null) return null;
  return HttpShape.parse({
    version: name(strings, row.http_version_id),
    status: row.http_status,
    bytes: row.http_bytes,
    firstRecordBytes: row.http_first_record_bytes,
    maxRecordBytes: row.http_max_record_bytes,
    records: row.http_records,
    server: name(strings, row.http_server_id),
    ...(location === undefined ? {} : { location }),
    ...(bodyCut === undefined ? {} : { bodyCut }),
    ...whereGiven(row.given, 'firstPacketMs', ms(row.first_packet_us)),
    ...whereGiven(row.given, 'firstUsableMs', ms(row.first_usable_us)),
  });
}

function proberOf(row: ResultRow): Result['prober'] {
  return {
    loopDelayMs: row.loop_delay_us / 1_000,
    inFlight: row.in_flight,
    clean: row.clean,
    ...whereGiven(row.given, 'lateMs', ms(row.late_us)),
    ...(row.stamped_by === null ? {} : { stampedBy: stamperOf(row.stamped_by) }),
    ...(row.clock_offset_ms === null ? {} : { clockOffsetMs: row.clock_offset_ms }),
  };
}
