import type { EndedBy } from './spike.ts';

/** What is watched: one target from one vantage (province and carrier). Called a line, as on a chart. */
export type Series = { target: string; province: string; carrier: string };

/** One probe. Durations in ms; null where the phase did not happen. */
export type Sample = {
  /** Epoch seconds, UTC, whole. */
  timestamp: number;
  /** TCP connect. */
  connect: number | null;
  /** TLS handshake after connect. */
  tls: number | null;
  /** First byte after the handshake. */
  firstByte: number | null;
  ok: boolean;
};

/** A sample and the number of its line, as the detector gives it. */
export type LineSample = { line: number; sample: Sample };

export const CAUSES = ['network', 'server', 'tls'] as const;
/** network: the path; server: milliseconds of work at the far end; tls: the structure of the handshake. */
export type Cause = (typeof CAUSES)[number];

export type DetectionKind = 'spike' | 'regression' | 'improvement';

/** What a spike was seen on; shifts are looked for on `tls` alone. */
export type Metric = 'tls' | 'connect' | 'firstByte' | 'failures';

export type Detection = Series & {
  kind: DetectionKind;
  metric: Metric;
  /** When it is raised, epoch seconds: the time of the newest sample that was used. */
  at: number;
  cause: Cause;
  /** The same on all detections that belong on one page. */
  incident: string;
  /** Estimated onset, epoch seconds. */
  changeAt: number;
  /** Natural logarithm of after / before; 0 for failures. */
  effect: number;
};

/** A spike that was raised and is not over; `changeAt` is that of its detection. Epoch seconds. */
export type OpenSpike = Series & {
  metric: Metric;
  changeAt: number;
  /** Since when samples have been as usual; null where the newest ones are not. */
  quietSince: number | null;
};

/** A spike that is over; `changeAt` is that of its detection. */
export type ClosedSpike = Series & {
  metric: Metric;
  changeAt: number;
  /** From when on it was over, and when that was known: epoch seconds. */
  endedAt: number;
  at: number;
  by: EndedBy;
};

/** The server's time to think, in ms: first byte less the round trip that brings it. Null where either is missing. */
export function thinkTime(sample: Sample): number | null {
  return sample.firstByte === null || sample.connect === null ? null : sample.firstByte - sample.connect;
}
