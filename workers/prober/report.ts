import type { ProberReport } from '#contract/ingest.ts';
import type { Logger } from './logger.ts';
import type { MeasuringStats } from './measuring.ts';

/** Totals since the prober began, and what lies in the quarantine now. */
export type ReportedStats = MeasuringStats & {
  dropped: number;
  rejected: number;
  quarantined: number;
  quarantineBytes: number;
};
type Counted = Pick<
  ReportedStats,
  'started' | 'missed' | 'retaken' | 'unclean' | 'dropped' | 'rejected' | 'quarantined'
>;

/**
 * A report on its way. `taken` is called once the server has it; without that the next one covers this one's time too. It is
 * `urgent` where results were lost or refused since the last one.
 */
export type PendingReport = { report: ProberReport; urgent: boolean; taken(): void };

/** Reports what the prober did since the last report that the server took. */
export class Reports {
  readonly #stats: () => ReportedStats;
  #since = new Date().toISOString();
  #before: Counted = { started: 0, missed: 0, retaken: 0, unclean: 0, dropped: 0, rejected: 0, quarantined: 0 };

  constructor(stats: () => ReportedStats) {
    this.#stats = stats;
  }

  next(): PendingReport {
    const stats = this.#stats();
    const until = new Date().toISOString();
    const more = (key: keyof Counted) => Math.max(0, stats[key] - this.#before[key]);
    const { checks, threads, quarantined, quarantineBytes } = stats;
    const rejected = more('rejected');
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
        rejected,
        quarantined,
        quarantineBytes,
      },
      urgent: more('dropped') + rejected + more('quarantined') > 0,
      taken: () => {
        this.#since = until;
        this.#before = stats;
      },
    };
  }
}

const SHORTAGE_EVERY_MS = 60_000;
const SHORTAGES = ['missed', 'unclean', 'leftOut'] as const;

/** Logs once a minute what this prober had no time for, if anything; returns what ends that. */
export function watchShortage(stats: () => MeasuringStats, logger: Logger, everyMs = SHORTAGE_EVERY_MS): () => void {
  let before = stats();
  const timer = setInterval(() => {
    const now = stats();
    const [missed = 0, unclean = 0, leftOut = 0] = SHORTAGES.map((key) => now[key] - before[key]);
    before = now;
    if (missed + unclean + leftOut <= 0) return;
    const what = `${missed} runs were missed, ${unclean} results not clean, ${leftOut} probes after a first one left out`;
    logger.warn(`this prober is short of time: in the last minute ${what} (${now.checks} checks)`);
  }, everyMs);
  return () => clearInterval(timer);
}
