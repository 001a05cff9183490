import type { Result } from '#contract/result.ts';
import type { CopyWriter } from './copy-writer.ts';
import type { Lookup } from './lookup.ts';
import { type Repeated, sharedText } from './repeated.ts';

const SESSION = [
  'tls_version_id',
  'cipher_id',
  'group_id',
  'alpn_id',
  'resumed',
  'hello_retry',
  'hellos_id',
  'session_offer_id',
];
function writeSession(out: CopyWriter, tls: Result['tls'], repeated: Repeated, lookup: Lookup): void {
  out.int4(lookup.string(tls?.version ?? null));
  out.int4(lookup.string(tls?.cipher ?? null));
  out.int4(lookup.string(tls?.group ?? null));
  out.int4(lookup.string(tls?.alpn ?? null));
  out.bool(tls?.resumed ?? null);
  out.bool(tls?.helloRetry ?? null);
  out.int4(lookup.string(sharedText(repeated.hellos)));
  out.int4(lookup.string(sharedText(repeated.session)));
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

const CERTIFICATE = ['certificate_id', 'chain_length', 'chain_bytes', 'verified', 'signature_id', 'sent_chain_id'];
function writeCertificate(out: CopyWriter, tls: Result['tls'], repeated: Repeated, lookup: Lookup): void {
  const certificate = tls?.certificate;
  out.int4(lookup.certificate(certificate));
  out.int4(certificate?.chainLength ?? null);
  out.int4(certificate?.chainBytes ?? null);
  out.bool(certificate?.verified ?? null);
  out.int4(lookup.string(certificate?.signature ?? null));
  out.int4(lookup.string(sharedText(repeated.sent)));
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

/** The columns of the handshake in the order in which `writeTls` writes them. */
export const TLS_COLUMNS = [...SESSION, ...HANDSHAKE, ...CERTIFICATE, ...STAPLE];

export function writeTls(out: CopyWriter, tls: Result['tls'], repeated: Repeated, lookup: Lookup): void {
  writeSession(out, tls, repeated, lookup);
  writeHandshake(out, tls);
  writeCertificate(out, tls, repeated, lookup);
  writeStaple(out, tls, lookup);
}

function msOf(instant: string | null | undefined): number | null {
  return instant ? Date.parse(instant) : null;
}
