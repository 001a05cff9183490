import {
  type Certificate,
  type Failure,
  type Handshake,
  Result,
  type ResultHttp,
  type ResultTls,
  type Staple,
} from '#contract/result.ts';
import { certificatesOf, type KnownCertificate } from '../certificates.ts';
import { stringsOf } from '../dictionary.ts';
import { type VantageLabels, vantageLabels, vantageRef } from '../vantage-labels.ts';
import { Evidence, wireRecordsOf } from './evidence.ts';
import type { ResultRow } from './row.ts';

/** What a row names by id. */
type Names = {
  strings: ReadonlyMap<number, string>;
  certificates: ReadonlyMap<number, KnownCertificate>;
  vantages: ReadonlyMap<string, VantageLabels>;
};

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
  ];
  return ids.filter((id) => id !== null);
}

function decodeRow(row: ResultRow, names: Names): Result {
  const evidence = Evidence.parse(row.evidence ?? {});
  const vantage = names.vantages.get(row.vantage_id);
  return {
    id: row.id,
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
    prober: { loopDelayMs: row.loop_delay_us / 1_000, inFlight: row.in_flight, clean: row.clean },
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
const { failure: FailureShape, http: HttpShape, tls: TlsShape } = Result.shape;

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
  };
}

function tlsOf(row: ResultRow, resumed: boolean, names: Names, evidence: Evidence): ResultTls | null {
  const { strings } = names;
  const tls = {
    version: name(strings, row.tls_version_id),
    cipher: name(strings, row.cipher_id),
    group: name(strings, row.group_id),
    alpn: name(strings, row.alpn_id),
    resumed,
    helloRetry: row.hello_retry ?? false,
    handshake: handshakeOf(row),
    certificate: certificateOf(row, names, evidence),
    staple: stapleOf(row, strings),
  };
  return TlsShape.parse(evidence.wire !== undefined ? { ...tls, wire: wireRecordsOf(evidence.wire) } : tls);
}

function handshakeOf(row: ResultRow): Handshake {
  return {
    roundTrips: row.round_trips,
    expectedRoundTrips: row.expected_round_trips,
    rttRatio: row.rtt_ratio,
    wireMs: ms(row.wire_us),
    localMs: ms(row.local_us),
    flights: row.flights,
    records: row.handshake_records ?? 0,
    bytesIn: row.bytes_in ?? 0,
    bytesOut: row.bytes_out ?? 0,
  };
}

function certificateOf(row: ResultRow, { certificates }: Names, evidence: Evidence): Certificate | null {
  const known = row.certificate_id === null ? undefined : certificates.get(row.certificate_id);
  if (!known) return null;
  const { id: _id, ...identity } = known;
  const { verifyError } = evidence;
  return {
    ...identity,
    ...evidence.certificate,
    chainLength: row.chain_length,
    chainBytes: row.chain_bytes,
    verified: row.verified ?? false,
    ...(verifyError === undefined ? {} : { verifyError }),
  };
}

function stapleOf(row: ResultRow, strings: Names['strings']): Record<keyof Staple, unknown> {
  return {
    status: name(strings, row.staple_status_id),
    producedAt: row.staple_produced_at?.toISOString() ?? null,
    thisUpdate: row.staple_this_update?.toISOString() ?? null,
    nextUpdate: row.staple_next_update?.toISOString() ?? null,
    bytes: row.staple_bytes ?? 0,
  };
}

function httpOf(row: ResultRow, { strings }: Names, { location }: Evidence): ResultHttp | null {
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
  });
}

function name(strings: Names['strings'], id: number | null): string | null {
  return id === null ? null : (strings.get(id) ?? null);
}

function ms(micros: number | null): number | null {
  return micros === null ? null : micros / 1_000;
}
