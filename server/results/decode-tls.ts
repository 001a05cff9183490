import type { Certificate, Staple } from '#contract/certificate.ts';
import { Result } from '#contract/result.ts';
import type { Handshake, ResultTls } from '#contract/tls.ts';
import { whereGiven } from '#server/database/codes.ts';
import { type Evidence, wireRecordsOf } from './evidence.ts';
import { ms, type Names, name } from './names.ts';
import { hellosOf, sentOf, sessionOf } from './repeated.ts';
import type { ResultRow } from './row.ts';

const { tls: TlsShape } = Result.shape;

/** The handshake of a row; `resumed` is what tells that there was one. */
export function tlsOf(row: ResultRow, resumed: boolean, names: Names, evidence: Evidence): ResultTls | null {
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
    ...hellosOf(evidence.hellos ?? name(strings, row.hellos_id)),
    ...sessionOf(name(strings, row.session_offer_id)),
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

function certificateOf(row: ResultRow, { certificates, strings }: Names, evidence: Evidence): Certificate | null {
  const known = row.certificate_id === null ? undefined : certificates.get(row.certificate_id);
  if (!known) return null;
  const { id: _id, ...identity } = known;
  const { verifyError, namesTotal } = evidence;
  return {
    ...identity,
    ...evidence.certificate,
    ...(namesTotal === undefined ? {} : { namesTotal }),
    chainLength: row.chain_length,
    chainBytes: row.chain_bytes,
    verified: row.verified ?? false,
    ...(verifyError === undefined ? {} : { verifyError }),
    ...whereGiven(row.given, 'signature', name(strings, row.signature_id)),
    ...sentOf(evidence.sent ?? name(strings, row.sent_chain_id)),
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
