import { codeOf, type FailureReason, inWords, messageOf, ownFault, ProbeFailure } from '../failure.ts';
import type { WireObserver } from '../wire/wire.ts';

/** What OpenSSL's and Node's codes mean, where the code alone says it. */
const BY_CODE: Record<string, FailureReason> = {
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'tls_version',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'tls_version',
  ERR_SSL_WRONG_VERSION_NUMBER: 'tls_not_tls',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'tls_not_tls',
  ERR_SSL_NO_SHARED_CIPHER: 'tls_no_shared_cipher',
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: 'tls_no_shared_cipher',
  'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE': 'tls_no_shared_cipher',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'tls_client_certificate_required',
  ERR_SSL_DH_KEY_TOO_SMALL: 'tls_weak',
  ERR_SSL_EXCESSIVE_MESSAGE_SIZE: 'tls_too_large',
  ROUNDTRIP_LIMIT: 'tls_too_large',
};

const BY_ALERT: Record<string, FailureReason> = {
  protocol_version: 'tls_version',
  handshake_failure: 'tls_no_shared_cipher',
  insufficient_security: 'tls_no_shared_cipher',
  certificate_required: 'tls_client_certificate_required',
};

/** What servers of TLS 1.2, which has no alert of its own for it, say to a client that shows no certificate. */
const WITHOUT_CERTIFICATE: readonly string[] = [
  'handshake_failure',
  'no_certificate',
  'bad_certificate',
  'certificate_unknown',
  'access_denied',
];

const CLOSED = 'the server ended the connection during the handshake';
const CERTIFICATE_WANTED = 'the server asked for a client certificate and was shown none that it takes';

/** Names a failed handshake: by the last records on the wire first, since Node turns many of them into the same ECONNRESET. */
export function tlsFailure(error: unknown, wire: WireObserver): ProbeFailure {
  const own = ownFault(error);
  if (own) return new ProbeFailure('tls', own[0], own[1], inWords(own[0], error));
  if (codeOf(error) === 'ROUNDTRIP_LIMIT') return new ProbeFailure('tls', 'tls_too_large', 'target', messageOf(error));
  // OpenSSL waits on after a fatal alert that it doesn't know: then the alert says more than the time-out.
  const waited = error instanceof ProbeFailure;
  if (wire.garbled && !waited) return new ProbeFailure('tls', 'tls_not_tls', 'target', notTls(wire.garbled));
  const { alert } = wire;
  if (alert?.direction === 'in' && alert.level === 2) {
    return new ProbeFailure('tls', alertReason(alert.name, wire), 'target', alertMessage(alert.name, wire));
  }
  if (waited) return error;
  const reason = reasonOf(error);
  // Of an orderly end Node says that our own socket was disconnected.
  const message = reason === 'tls_closed' ? CLOSED : inWords(reason, error);
  return new ProbeFailure('tls', reason, 'target', message);
}

function alertReason(name: string, wire: WireObserver): FailureReason {
  if (wire.showedNoCertificate && WITHOUT_CERTIFICATE.includes(name)) return 'tls_client_certificate_required';
  return BY_ALERT[name] ?? 'tls_alert';
}

function alertMessage(name: string, { showedNoCertificate }: WireObserver): string {
  const asked = showedNoCertificate ? ', after it had asked for a client certificate and was shown none' : '';
  return `the server ended the handshake with the alert ${name}${asked}`;
}

/** A refusal that TLS 1.3 can only send after the handshake: null where the error is something else. */
export function lateRefusal(error: unknown): ProbeFailure | null {
  const code = codeOf(error);
  if (!code.startsWith('ERR_SSL_')) return null;
  const reason = reasonOf(error);
  const said = messageOf(error);
  const message = reason === 'tls_client_certificate_required' ? `${CERTIFICATE_WANTED} (${said})` : said;
  return new ProbeFailure('tls', reason, 'target', message);
}

function reasonOf(error: unknown): FailureReason {
  const code = codeOf(error);
  const known = BY_CODE[code];
  if (known) return known;
  if (code.startsWith('ERR_SSL_') && code.includes('ALERT')) return 'tls_alert';
  if (code.startsWith('ERR_SSL_')) return 'tls_error';
  // Node makes its own ECONNRESET of an orderly end, which has no system call to its name.
  if (code === 'ECONNRESET') return isSystemError(error) ? 'tls_reset' : 'tls_closed';
  if (code === 'EPIPE') return 'tls_reset';
  if (code === 'ETIMEDOUT') return 'tls_timeout';
  return code === '' ? 'tls_closed' : 'tls_error';
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

function notTls(bytes: Buffer): string {
  const printable = /^[\x20-\x7e]+$/.test(bytes.toString('latin1'));
  const shown = printable ? `"${bytes.toString('latin1')}"` : bytes.toString('hex');
  return `the server's bytes are no TLS: they begin with ${shown}`;
}
