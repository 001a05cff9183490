import { z } from 'zod';

/** Phases of one probe in the order in which they happen. A phase that did not happen is null, never 0. */
export const PHASES = ['dns', 'tcp', 'tls', 'firstByte', 'download'] as const;
export type Phase = (typeof PHASES)[number];

/** `ratio` is the part that went well, 0 to 1, `share` one that did not. */
export const UNITS = ['ms', 'roundTrips', 'count', 'ratio', 'share'] as const;
export const Unit = z.enum(UNITS).meta({ id: 'Unit' });
export type Unit = z.infer<typeof Unit>;

/**
 * `column` of `result` holds it, `scale` thousandths of the unit to 1; `rollup` is its number in rollups, for good; `whole`: a
 * quantile of it is a whole number. `charts`: series and matrices can be asked for it; `rules`: a rule may set a threshold on
 * it; `detection`: its place in the list of those that the detector watches. Of every metric more is worse.
 */
type MetricRow = {
  unit: Unit;
  column: string | null;
  scale: 1 | 1_000;
  rollup: number | null;
  whole: boolean;
  charts: boolean;
  rules: boolean;
  detection: number | null;
};

const time = { unit: 'ms', scale: 1, whole: false, charts: true, rules: true, detection: null } as const;

/** What is measured, one row a metric; its names are in i18n (`metric`, `metricDef`). New ones go before `failures`. */
export const METRIC_TABLE = {
  dns: { ...time, column: 'dns_us', rollup: 1 },
  tcp: { ...time, column: 'tcp_us', rollup: 2, detection: 2 },
  tls: { ...time, column: 'tls_us', rollup: 3, detection: 1 },
  firstByte: { ...time, column: 'first_byte_us', rollup: 4, detection: 3 },
  download: { ...time, column: 'download_us', rollup: 5 },
  total: { ...time, column: 'total_us', rollup: 6 },
  // Of the TLS handshake alone.
  roundTrips: {
    ...time,
    unit: 'roundTrips',
    column: 'round_trips',
    scale: 1_000,
    rollup: 7,
    whole: true,
  },
  firstBody: { ...time, column: 'first_body_us', rollup: 8 },
  // Whether the server refused the session that was offered, of variant `resumed` alone: its mean is the share of refused ones.
  refused: { ...time, unit: 'share', column: 'resumed', scale: 1_000, rollup: 9, rules: false, detection: 5 },
  // The share of probes that failed: charts have it as availability.
  failures: { ...time, unit: 'ratio', column: null, rollup: null, charts: false, rules: false, detection: 4 },
} as const satisfies Record<string, MetricRow>;

type Table = typeof METRIC_TABLE;
export type AnyMetric = keyof Table;
type Used<Where extends 'charts' | 'rules'> = {
  [Name in AnyMetric]: Table[Name][Where] extends true ? Name : never;
}[AnyMetric];
type Detected = { [Name in AnyMetric]: Table[Name]['detection'] extends number ? Name : never }[AnyMetric];

const NAMES = Object.keys(METRIC_TABLE) as AnyMetric[];
const used = <Where extends 'charts' | 'rules'>(where: Where) =>
  NAMES.filter((name): name is Used<Where> => METRIC_TABLE[name][where]);

/** What series and matrices can be asked for, in the order in which rollups hold them. */
export const METRICS: readonly Used<'charts'>[] = used('charts');
export const Metric = z.enum(METRICS).meta({ id: 'Metric' });
export type Metric = z.infer<typeof Metric>;
/** What a rule may set a threshold on. */
export const RULE_METRICS: readonly Used<'rules'>[] = used('rules');
/** What the detector looks at. Lasting changes are looked for on `tls` alone. */
export const WATCHED_METRICS: readonly Detected[] = NAMES.filter(
  (name): name is Detected => METRIC_TABLE[name].detection !== null,
).sort((a, b) => METRIC_TABLE[a].detection - METRIC_TABLE[b].detection);

/** Statistics over the clean, successful results of a cell or a time bucket; `availability` is a ratio from 0 to 1. */
export const STATS = ['p50', 'p75', 'p90', 'p95', 'p99', 'mean', 'min', 'max', 'count', 'availability'] as const;
export const Stat = z.enum(STATS).meta({ id: 'Stat' });
export type Stat = z.infer<typeof Stat>;

/** The unit of a value of this metric under this statistic. */
export function unitOf(metric: AnyMetric, stat: Stat): Unit {
  if (stat === 'count') return 'count';
  return stat === 'availability' ? 'ratio' : METRIC_TABLE[metric].unit;
}

/** Whether a metric is a share of results, 0 to 1, and no time. */
export function isShare(metric: string | null): boolean {
  return metric === 'failures' || metric === 'refused';
}

/** What connections are made of, and their shares over time are shown of. */
export const CONNECTION_PROPERTIES = [
  'tls',
  'http',
  'group',
  'staple',
  'resumption',
  'certificateCompression',
  'encoding',
] as const;
export type ConnectionProperty = (typeof CONNECTION_PROPERTIES)[number];

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
  'tls_weak',
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
  'redirect_loop',
  'too_many_redirects',
  'redirect_not_followed',
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
  'unverified',
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
  'http1_required',
  'http_malformed',
  'cert_expires_soon',
  'implausible_ratio',
  'loss',
  'records_exceed_window',
  'tiny_records',
  'chain_wrong_order',
  'chain_missing_intermediate',
  'chain_extra_certificates',
  'tickets_do_not_resume',
  'no_false_start',
  'body_exceeds_window',
  'no_session',
  'nagle_delay',
  'small_window',
  'dead_address',
] as const;

/** What can be odd about an answer of HTTP/1 that clients take all the same (RFC 9112). */
export const HTTP_ODDITIES = [
  'status_line',
  'bare_lf',
  'repeated_cr',
  'header_characters',
  'folded_header',
  'both_lengths',
  'repeated_length',
  'length_characters',
  'chunk_size_space',
  'excess_bytes',
  'unexpected_body',
] as const;
export type HttpOddity = (typeof HTTP_ODDITIES)[number];

/**
 * Which of a check's handshakes a Result is of. `main` is the one that percentiles, rollups and baselines are made of; the
 * others run right after it, where the settings ask for them, and name it in `mainId`.
 */
export const VARIANTS = ['main', 'resumed', 'rsa', 'ecdsa', 'redirect', 'reuse'] as const;
export type Variant = (typeof VARIANTS)[number];
/** Those that have statistics of their own. A redirect leads elsewhere: it is measured as a target of its own. */
export const MEASURED_VARIANTS = ['main', 'resumed', 'rsa', 'ecdsa', 'reuse'] as const satisfies readonly Variant[];
export type MeasuredVariant = (typeof MEASURED_VARIANTS)[number];

/** How a handshake agreed on its keys; `PSK` means by an earlier session alone. */
export const KEY_EXCHANGES = ['ECDHE', 'DHE', 'RSA', 'PSK'] as const;
export type KeyExchange = (typeof KEY_EXCHANGES)[number];

/** What held the server's bytes back (docs/measuring.md says when each is given). */
export const WAIT_CAUSES = ['window', 'nagle', 'unknown'] as const;

/** What can be odd about a chain as it was sent. */
export const CHAIN_PROBLEMS = [
  'wrong_order',
  'missing_intermediate',
  'extra_certificates',
  'duplicate_certificates',
  'root_sent',
] as const;
