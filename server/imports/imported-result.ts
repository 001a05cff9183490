import { createHash } from 'node:crypto';
import { v7 as uuidAt } from 'uuid';
import type { ImportedMeasurement } from '#contract/import.ts';
import type { Failure, ResultHttp, StorableResult, VantageRef } from '#contract/result.ts';
import { FAILURE_REASONS, type Phase } from '#contract/vocabulary.ts';

/** Said of what no engine of ours measured. */
const NO_ENGINE = 0;

/**
 * A measurement as the result that is stored. What another monitor does not say is null: addresses, the handshake, marks, who took the
 * stamps. That it is `clean`, without delay of a prober, says no more than that nothing is known against it.
 */
export function resultOf(
  measurement: ImportedMeasurement,
  target: { id: string; url: string },
  vantage: VantageRef,
): StorableResult {
  const { dnsMs = null, connectMs = null, tlsMs = null, firstByteMs = null } = measurement;
  const { downloadMs = null, totalMs = null, httpStatus = null } = measurement;
  const startedAt = new Date(measurement.at).toISOString();
  return {
    id: idOf(startedAt, [
      ...[target.id, vantage.id, measurement.ok, measurement.reason ?? null],
      ...[dnsMs, connectMs, tlsMs, firstByteMs, downloadMs, totalMs, httpStatus],
    ]),
    engineVersion: NO_ENGINE,
    url: target.url,
    targetId: target.id,
    vantage,
    demo: false,
    startedAt,
    ok: measurement.ok,
    failure: measurement.ok ? null : failureOf(measurement),
    phases: {
      dns: dnsMs,
      tcp: connectMs,
      tls: tlsMs,
      firstByte: firstByteMs,
      download: downloadMs,
      total: totalMs,
    },
    marks: {
      namelookup: null,
      connect: null,
      appconnect: null,
      pretransfer: null,
      starttransfer: null,
      total: null,
    },
    network: {
      peerAddress: null,
      peerPort: null,
      localAddress: null,
      localPort: null,
      family: null,
      resolver: null,
      minRttMs: null,
      retransmits: null,
      sndCwnd: null,
    },
    tls: null,
    // The status alone is written: of an answer whose version nobody says, `http` is read back as null.
    http: httpStatus === null ? null : ({ status: httpStatus } as ResultHttp),
    roundTrips: null,
    prober: { loopDelayMs: 0, inFlight: 0, clean: true, lateMs: null },
    findings: [],
  };
}

/**
 * An id (UUIDv7, as all results have: its time tells where a result is) that follows from the measurement. What was measured is part of
 * it: several probers of a place may measure in one instant. The source is in the id of the vantage.
 */
function idOf(startedAt: string, parts: unknown[]): string {
  const random = createHash('sha256').update(JSON.stringify(parts)).digest();
  return uuidAt({ msecs: Date.parse(startedAt), random });
}

const PHASE_OF: [RegExp, Phase][] = [
  [/^(dns|address)_/, 'dns'],
  [/^tcp_/, 'tcp'],
  [/^(tls|cert)_/, 'tls'],
  [/^prober_/, 'dns'],
];
const OF_RESOLVER = ['dns_timeout', 'dns_refused', 'dns_server_failure', 'dns_error'];

/** Why it failed, as far as it is said: a reason of ours, a status, or the phase after the last that has a duration. */
function failureOf({ reason, httpStatus, ...phases }: ImportedMeasurement): Failure {
  const known = FAILURE_REASONS.find((each) => each === reason);
  const message = known === undefined ? (reason ?? '') : '';
  if (known) {
    const phase = PHASE_OF.find(([pattern]) => pattern.test(known))?.[1] ?? 'firstByte';
    const source = OF_RESOLVER.includes(known) ? 'resolver' : known.startsWith('prober_') ? 'prober' : 'target';
    return { phase, reason: known, source, message };
  }
  if (httpStatus && httpStatus >= 400)
    return { phase: 'firstByte', reason: 'http_status', source: 'target', message: message || `HTTP ${httpStatus}` };
  const has = (value: number | null | undefined) => value !== null && value !== undefined;
  if (has(phases.tlsMs) || !(has(phases.dnsMs) || has(phases.connectMs)))
    return { phase: 'firstByte', reason: 'http_error', source: 'target', message };
  if (has(phases.connectMs)) return { phase: 'tls', reason: 'tls_error', source: 'target', message };
  return { phase: 'tcp', reason: 'tcp_error', source: 'target', message };
}
