import type { ProberReport } from '#contract/ingest.ts';
import type { MeasuringStats } from './measuring.ts';

type Counted = Pick<MeasuringStats, 'started' | 'missed' | 'retaken' | 'unclean'> & { dropped: number };

/** A report on its way. `taken` is called once the server has it; without that the next one covers this one's time too. */
export type PendingReport = { report: ProberReport; taken(): void };

/** Says what the prober did since the server last heard of it. */
export class Reports {
  readonly #stats: () => MeasuringStats & { dropped: number };
  #since = new Date().toISOString();
  #before: Counted = { started: 0, missed: 0, retaken: 0, unclean: 0, dropped: 0 };

  /** `stats` gives totals since the prober began. */
  constructor(stats: () => MeasuringStats & { dropped: number }) {
    this.#stats = stats;
  }

  next(): PendingReport {
    const stats = this.#stats();
    const until = new Date().toISOString();
    const more = (key: keyof Counted) => Math.max(0, stats[key] - this.#before[key]);
    const { checks, threads } = stats;
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
      },
      taken: () => {
        this.#since = until;
        this.#before = stats;
      },
    };
  }
}
