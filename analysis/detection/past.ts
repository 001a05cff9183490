import type { Histogram } from '#analysis/histogram.ts';
import type { Sample } from './sample.ts';

/** A half hour (of 1,800 s since 1970) as it is stored: milliseconds of each phase; null where none was measured. */
export type PastHalfHour = Record<'tls' | 'tcp' | 'firstByte', Histogram | null> & { slot: number };

/** What is stored of a series' past, in the order of time. */
export type Past = {
  /** Half hours before those of the samples. */
  halfHours: readonly PastHalfHour[];
  samples: readonly Sample[];
  /** When lasting changes of TLS time began that are known already, epoch seconds. */
  changes: readonly number[];
  /** Share of failed probes; null where it is not known. */
  failureRate: number | null;
};
