import { z } from 'zod';

/** Phases of one probe in the order in which they happen. A phase that did not happen is null, never 0. */
export const PHASES = ['dns', 'tcp', 'tls', 'firstByte', 'download'] as const;
export type Phase = (typeof PHASES)[number];

/** What series and matrices can be asked for. All are milliseconds but `roundTrips` (of the TLS handshake alone). */
export const METRICS = ['dns', 'tcp', 'tls', 'firstByte', 'download', 'total', 'roundTrips'] as const;
export const Metric = z.enum(METRICS).meta({ id: 'Metric' });
export type Metric = z.infer<typeof Metric>;

/** Statistics over the clean, successful results of a cell or a time bucket; `availability` is a ratio from 0 to 1. */
export const STATS = ['p50', 'p75', 'p90', 'p95', 'p99', 'mean', 'count', 'availability'] as const;
export const Stat = z.enum(STATS).meta({ id: 'Stat' });
export type Stat = z.infer<typeof Stat>;

export const UNITS = ['ms', 'roundTrips', 'count', 'ratio'] as const;
export const Unit = z.enum(UNITS).meta({ id: 'Unit' });
export type Unit = z.infer<typeof Unit>;

/** The unit of a value of this metric under this statistic. */
export function unitOf(metric: Metric, stat: Stat): Unit {
  if (stat === 'count') return 'count';
  if (stat === 'availability') return 'ratio';
  return metric === 'roundTrips' ? 'roundTrips' : 'ms';
}

/** Carriers with a name of their own in China; abroad any name is a carrier (ISO-free, lower case). */
export const KNOWN_CARRIERS = ['telecom', 'unicom', 'mobile', 'cernet', 'broadnet', 'other'] as const;

export const ACCESS_TYPES = ['idc', 'lastmile', 'mobile', 'cloud'] as const;
export const AccessType = z.enum(ACCESS_TYPES).meta({ id: 'AccessType' });

/** Whose fault a failure is. A fault of the prober never counts against a target's availability. */
export const FAILURE_SOURCES = ['target', 'resolver', 'prober'] as const;

/** Every reason a probe can fail with: a closed list, so that scripts can switch over it. */
export const FAILURE_REASONS = [
  'dns_not_found',
  'dns_no_address',
  'dns_timeout',
  'dns_refused',
  'dns_server_failure',
  'dns_error',
  'address_not_allowed',
  'tcp_refused',
  'tcp_timeout',
  'tcp_unreachable',
  'tcp_reset',
  'tcp_error',
  'tls_timeout',
  'tls_reset',
  'tls_closed',
  'tls_alert',
  'tls_not_tls',
  'tls_version',
  'tls_no_shared_cipher',
  'tls_client_certificate_required',
  'tls_too_large',
  'tls_error',
  'cert_expired',
  'cert_not_yet_valid',
  'cert_self_signed',
  'cert_untrusted',
  'cert_incomplete_chain',
  'cert_name_mismatch',
  'cert_revoked',
  'cert_weak',
  'cert_invalid',
  'http_timeout',
  'http_reset',
  'http_closed',
  'http_protocol',
  'http_status',
  'http_body_mismatch',
  'http_too_large',
  'http_error',
  'prober_offline',
  'prober_file_limit',
  'prober_overloaded',
  'prober_fault',
] as const;

/** The states of an OCSP staple (docs/measuring.md says when each is given). */
export const STAPLE_STATUSES = [
  'good',
  'revoked',
  'unknown',
  'stale',
  'invalid',
  'malformed',
  'unsuccessful',
  'missing',
  'not_applicable',
  'not_observed',
] as const;

/** Waste that the engine can name from one result's evidence. */
export const FINDING_CODES = [
  'tls12_full_handshake',
  'chain_exceeds_window',
  'hello_retry',
  'extra_round_trip',
  'staple_stale',
  'staple_missing',
  'staple_invalid',
  'staple_revoked',
  'must_staple_violated',
  'http1_only',
  'cert_expires_soon',
  'implausible_ratio',
  'loss',
  'records_exceed_window',
  'tiny_records',
  'chain_wrong_order',
  'chain_missing_intermediate',
  'chain_extra_certificates',
  'tickets_do_not_resume',
] as const;

/**
 * Which of a check's handshakes a Result is of. `main` is the one that percentiles, rollups and baselines are made of; the
 * others run right after it, where the settings ask for them, and name it in `mainId`.
 */
export const VARIANTS = ['main', 'resumed', 'rsa', 'ecdsa', 'redirect'] as const;
export type Variant = (typeof VARIANTS)[number];

/** What can be odd about a chain as it was sent. */
export const CHAIN_PROBLEMS = [
  'wrong_order',
  'missing_intermediate',
  'extra_certificates',
  'duplicate_certificates',
  'root_sent',
] as const;
