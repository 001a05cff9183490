import type { WatchedMetric } from '#contract/alert-rule.ts';
import type { Cause } from '#contract/explanation.ts';
import type { Series } from './sample.ts';

/** network: the path; server: milliseconds of work at the far end; tls: the structure of the handshake. */
export type { Cause };

export type DetectionKind = 'spike' | 'regression' | 'improvement';

/** What a spike was seen on; lasting changes are looked for on `tls` alone. */
export type Metric = WatchedMetric;

/** A group by the scope and the onset of its first detection: a carrier for the network, else a target. */
export type GroupId =
  | { cause: 'network'; country: string; carrier: string; changeAt: number }
  | { cause: Exclude<Cause, 'network'>; target: string; changeAt: number };

export type Detection = Series & {
  kind: DetectionKind;
  metric: Metric;
  /** When it is raised, epoch seconds: the time of the newest sample that was used. */
  at: number;
  cause: Cause;
  /** The same for all detections of one event, but for groups that merge later (`GroupChange`). */
  group: GroupId;
  /** False for what is a note in its series' log: of one series or one vantage alone, or too small (`paging.ts`). */
  page: boolean;
  /** Estimated onset, epoch seconds. */
  changeAt: number;
  /** Natural logarithm of after / before; 0 for failures. */
  effect: number;
  /** Of a lasting change on a series of two modes, such as resumed and full handshakes: the share of the slower one, 0 to 1. */
  shares?: { before: number; after: number };
};

/** What a group is about: a carrier for the network, else a target. */
export type GroupScope = { country: string; carrier: string } | { target: string };

/** What became of a group at an instant: it is part of another one from then on, or has another cause. */
export type GroupChange =
  | { kind: 'merge'; at: number; group: GroupId; into: GroupId }
  | { kind: 'cause'; at: number; group: GroupId; cause: Cause; scope: GroupScope };

/** A spike that was raised and is not over; `changeAt` is that of its detection. Epoch seconds. */
export type OpenSpike = Series & {
  metric: Metric;
  changeAt: number;
  /** Since when samples have been as usual; null where the newest ones are not. */
  quietSince: number | null;
};

/**
 * Why an incident counts as over: half an hour of quiet; a lasting change, of which it was the beginning; two hours
 * without a sample; or more than eight hours, after which it is the series' new level.
 */
export type EndedBy = 'quiet' | 'shift' | 'silence' | 'length';

/** A stretch in which a vantage's prober was busy, so that its samples were not judged, epoch seconds; `until` null: it still is. */
export type BusyProber = { vantage: string; since: number; until: number | null };

/** A spike that is over; `changeAt` is that of its detection. */
export type ClosedSpike = Series & {
  metric: Metric;
  changeAt: number;
  /** From when on it was over, and when that was known: epoch seconds. */
  endedAt: number;
  at: number;
  by: EndedBy;
};
