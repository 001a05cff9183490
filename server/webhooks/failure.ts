import { AddressError } from './address-guard.ts';

// What Node and OpenSSL say is right but seldom plain: `aborted`, `socket hang up`. Their words stay in brackets.

const CERTIFICATE =
  /^(CERT_|DEPTH_ZERO_|SELF_SIGNED|UNABLE_TO_|ERR_TLS_CERT_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/;

const PLAIN: [RegExp, string][] = [
  [/^ENOTFOUND$|^EAI_NODATA$/, 'the name does not resolve'],
  [/^EAI_/, 'the name cannot be looked up now'],
  [/^ECONNREFUSED$/, 'nobody listens there'],
  [/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'the address cannot be reached'],
  [CERTIFICATE, 'the certificate is not trusted'],
  [/^EPROTO$|^ERR_SSL_/, 'TLS failed'],
  [/^HPE_HEADER_OVERFLOW$/, 'the answer has too many headers'],
  [/^HPE_/, 'the answer is not HTTP'],
  [/^(ECONNRESET|EPIPE)$/, 'the connection was closed before an answer'],
];

/** An answer that began with this status and never ended. */
export class BrokenAnswer extends Error {
  override readonly name = 'BrokenAnswer';
  constructor(status: number, cause: unknown) {
    const words = cause instanceof Error ? cause.message : String(cause);
    super(`answered ${status}, but the connection was closed in the middle of the answer (${words})`);
  }
}

/** Why an attempt brought no answer, in words for the log. */
export function failureOf(error: unknown): string {
  const cause = firstOf(error);
  if (!(cause instanceof Error)) return String(cause);
  if (cause instanceof AddressError || cause instanceof BrokenAnswer) return cause.message;
  const code = 'code' in cause ? String(cause.code) : '';
  const plain = plainOf(code);
  const words = cause.message || code || cause.name;
  return plain ? `${plain} (${words})` : words;
}

const plainOf = (code: string) => PLAIN.find(([pattern]) => pattern.test(code))?.[1];

/** Node hides the reasons of several tries in one error that says nothing. */
const firstOf = (error: unknown): unknown => (error instanceof AggregateError ? (error.errors[0] ?? error) : error);
