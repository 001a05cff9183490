import type { ProberReport } from '#contract/ingest.ts';
import type { MeasuringStats } from './measuring.ts';

/** Totals since the prober began, and what lies in the quarantine now. */
export type ReportedStats = MeasuringStats & {
  dropped: number;
  rejected: number;
  quarantined: number;
  quarantineBytes: number;
};
type Counted = Pick<ReportedStats, 'started' | 'missed' | 'retaken' | 'unclean' | 'dropped' | 'rejected'>;

/** A report on its way. `taken` is called once the server has it; without that the next one covers this one's time too. */
export type PendingReport = { report: ProberReport; taken(): void };

/** Says what the prober did since the server last heard of it. */
export class Reports {
  readonly #stats: () => ReportedStats;
  #since = new Date().toISOString();
  #before: Counted = { started: 0, missed: 0, retaken: 0, unclean: 0, dropped: 0, rejected: 0 };

  constructor(stats: () => ReportedStats) {
    this.#stats = stats;
  }

  next(): PendingReport {
    const stats = this.#stats();
    const until = new Date().toISOString();
    const more = (key: keyof Counted) => Math.max(0, stats[key] - this.#before[key]);
    const { checks, threads, quarantined, quarantineBytes } = stats;
    const rejected = more('rejected');
    // A server of an older version takes no report with fields that it does not know: they come where there is need.
    const refusals = rejected + quarantined > 0 ? { rejected, quarantined, quarantineBytes } : {};
    return {
      report: {
        since: this.#since,
        checks,
        threads,
        started: more('started'),
        missed: more('missed'),
        retaken: more('retaken'),
        unclean: more('unclean'),
        dropped: more('dropped'),
        ...refusals,
      },
      taken: () => {
        this.#since = until;
        this.#before = stats;
      },
    };
  }
}
