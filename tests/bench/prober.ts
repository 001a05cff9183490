import path from 'node:path';
import type { StorableResult } from '#contract/result.ts';
import { IngestClient } from '#workers/prober/client.ts';
import { ProberClock } from '#workers/prober/prober-clock.ts';
import { Quarantine } from '#workers/prober/quarantine.ts';
import { Reports } from '#workers/prober/report.ts';
import { ServerTime } from '#workers/prober/server-time.ts';
import { Spool } from '#workers/prober/spool.ts';
import { Standing } from '#workers/prober/standing.ts';
import { Uploader } from '#workers/prober/upload.ts';

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** A prober but for its probes: what is added is spooled in `folder` and sent by the prober's own code. */
export class BenchProber {
  readonly uploader: Uploader;
  readonly #spool: Spool;
  readonly #waiting: Spool;
  #added = 0;
  /** When results were added (ms since 1970) that are not confirmed, oldest first. */
  #addedAt: number[] = [];

  constructor({
    folder,
    url,
    credential,
    checks,
  }: { folder: string; url: string; credential: string; checks: number }) {
    const clock = new ProberClock();
    const spool = new Spool({ directory: path.join(folder, 'spool'), warn: () => {} });
    const waiting = new Spool({ directory: path.join(folder, 'waiting'), warn: () => {} });
    const quarantine = new Quarantine({ directory: path.join(folder, 'quarantine'), logger: SILENT });
    const counts = { missed: 0, retaken: 0, unclean: 0, faults: 0, leftOut: 0, inFlight: 0, threads: 1, checks };
    const reports = new Reports(() => ({
      ...counts,
      started: this.#added,
      dropped: spool.counts.dropped,
      rejected: this.uploader.counts.rejected,
      quarantined: 0,
      quarantineBytes: 0,
    }));
    this.#spool = spool;
    this.#waiting = waiting;
    this.uploader = new Uploader({
      spool,
      waiting,
      quarantine,
      credential,
      clock,
      client: new IngestClient({ server: url, signal: new AbortController().signal }),
      standing: new Standing({ logger: SILENT }),
      time: new ServerTime({ dataDir: folder, clock, logger: SILENT }),
      logger: SILENT,
      report: () => reports.next(),
      settledUntil: () => null,
    });
  }

  add(result: StorableResult): void {
    this.#spool.append(JSON.stringify(result));
    this.#added += 1;
    this.#addedAt.push(Date.now());
  }

  /** Puts on the disk what was added so far. */
  async flush(): Promise<void> {
    await this.#spool.flush();
  }

  /** Results that the server has answered for. */
  get confirmed(): number {
    const { uploaded, duplicates, rejected } = this.uploader.counts;
    return uploaded + duplicates + rejected;
  }

  /** How long (ms) the oldest result has been waiting for the server that it has answered for since the last call, or not yet. */
  lagMs(): number {
    const oldest = this.#addedAt[0];
    this.#addedAt.splice(0, this.confirmed - (this.#added - this.#addedAt.length));
    return oldest === undefined ? 0 : Date.now() - oldest;
  }

  /** Sends until `finish`, then what is left. Throws where the server refused a result or the spool lost one. */
  async send(finish: AbortSignal): Promise<void> {
    await this.uploader.run(finish);
    await this.#spool.close();
    await this.#waiting.close();
    const lost = this.uploader.counts.rejected + this.#spool.counts.dropped;
    if (lost > 0) throw new Error(`${lost} results were rejected or dropped`);
  }
}
