import type { Finding, Result } from '#contract/result.ts';
import { fitting, roundMs } from '../format.ts';

type Code = Finding['code'];

export type Tls = NonNullable<Result['tls']>;

/** Round trips that need not be, and what they cost at this round-trip time (ms). */
export function waste(code: Code, roundTrips: number, rttMs: number, evidence: string): Finding {
  return { code, severity: 'warning', savesRoundTrips: roundTrips, savesMs: roundMs(roundTrips * rttMs), evidence };
}

/** A fact that costs no round trip. */
export function fact(code: Code, severity: Finding['severity'], evidence: string): Finding {
  return { code, severity, savesRoundTrips: null, savesMs: null, evidence: fitting(evidence, 1_000) };
}
