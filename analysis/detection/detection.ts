import type { Series } from './sample.ts';

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

/**
 * Why an incident counts as over: half an hour of quiet; a lasting change, of which it was the beginning; two hours
 * without a sample; or more than eight hours, after which it is the line's new way.
 */
export type EndedBy = 'quiet' | 'shift' | 'silence' | 'length';

/** A spike that is over; `changeAt` is that of its detection. */
export type ClosedSpike = Series & {
  metric: Metric;
  changeAt: number;
  /** From when on it was over, and when that was known: epoch seconds. */
  endedAt: number;
  at: number;
  by: EndedBy;
};
