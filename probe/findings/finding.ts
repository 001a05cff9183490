import type { Finding, Result } from '#contract/result.ts';
import { fitting, roundMs } from '../format.ts';

type Code = Finding['code'];

export type Tls = NonNullable<Result['tls']>;
/** The figures of an evidence, from which pages write it in their language (i18n: `findingEvidence`). */
export type Values = NonNullable<Finding['values']>;

/** Round trips that need not be, and what they cost at this round-trip time (ms). */
export function waste(
  code: Code,
  roundTrips: number,
  rttMs: number,
  evidence: string,
  values: Values,
  severity: Finding['severity'] = 'warning',
): Finding {
  const savesMs = roundMs(roundTrips * rttMs);
  return { code, severity, savesRoundTrips: roundTrips, savesMs, evidence: fitting(evidence, 1_000), values };
}

/** A fact that costs no round trip. */
export function fact(code: Code, severity: Finding['severity'], evidence: string, values: Values): Finding {
  return { code, severity, savesRoundTrips: null, savesMs: null, evidence: fitting(evidence, 1_000), values };
}

/** A text among values, which hold 500 characters. */
export const shortened = (text: string) => fitting(text, 500);
