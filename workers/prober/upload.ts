import { IngestReport } from '#contract/ingest.ts';
import { backoffMs, pause } from './backoff.ts';
import type { IngestClient, Outcome } from './client.ts';
import type { Logger } from './logger.ts';
import type { PendingReport } from './report.ts';
import type { Spool, SpoolBatch } from './spool.ts';

/** Most results in a batch: about 2 MB of JSON. */
export const BATCH_RESULTS = 500;
/** A batch that is not full goes out after this long, so that the dashboard stays fresh. */
const EVERY_MS = 1_000;
/** Without a result to send, the report goes out by itself this often (ms). */
const REPORT_EVERY_MS = 60_000;
/** Rejected results that are named in the log, of each batch. */
const NAMED_REJECTIONS = 5;

/**
 * A server of an older version refuses a batch for its report. So a refused batch is tried without it (`doubted`): if it
 * passes, no more are sent (`off`); if not, the report was `innocent` and comes back with the next batch that passes.
 */
type Reporting = 'on' | 'doubted' | 'innocent' | 'off';

type Options = {
  spool: Spool;
  client: IngestClient;
  credential: string;
  logger: Logger;
  /** What this prober did since the server last heard of it; goes out with every batch. */
  report(): PendingReport;
  everyMs?: number;
  reportEveryMs?: number;
};

/** Brings the spool to the server, oldest first: a batch leaves the spool when the server has answered for it. */
export class Uploader {
  readonly counts = { uploaded: 0, duplicates: 0, rejected: 0 };
  #options: Options;
  #size = BATCH_RESULTS;
  #failures = 0;
  #reportedAt = performance.now();
  #reports: Reporting = 'on';

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * Runs until the server no longer knows the credential (then it returns the reason) or until `finish` aborts: what is
   * left then is sent while the server takes it, and the answer is null. The client's own signal ends that early.
   */
  async run(finish: AbortSignal): Promise<string | null> {
    const { spool, everyMs = EVERY_MS } = this.#options;
    for (;;) {
      const finishing = finish.aborted; // asked before the flush, so that no result slips through behind it
      if (finishing) await spool.flush();
      const batch = await spool.read(this.#size);
      const outcome = batch || this.#reportIsDue() ? await this.#send(batch) : null;
      if (outcome?.kind === 'unauthorised') return outcome.message;
      if (finishing && (!outcome || outcome.kind === 'away')) return null;
      if (outcome?.kind === 'away') {
        await pause(outcome.retryAfterMs ?? backoffMs(this.#failures), finish);
      } else if (outcome?.kind !== 'refused' && (!batch || batch.lines.length < this.#size)) {
        await pause(everyMs, finish);
        await spool.flush();
      }
    }
  }

  #reportIsDue(): boolean {
    const { reportEveryMs = REPORT_EVERY_MS } = this.#options;
    return this.#reports === 'on' && performance.now() - this.#reportedAt >= reportEveryMs;
  }

  /** Sends a batch (null: none) with the report. */
  async #send(batch: SpoolBatch | null): Promise<Outcome> {
    const { client, credential } = this.#options;
    const pending = this.#reports === 'on' ? this.#options.report() : null;
    const report = pending ? `"report":${JSON.stringify(pending.report)},` : '';
    // The results travel as they were written; only the time of sending is new, for the server to tell our skew.
    const body = `{"sentAt":"${new Date().toISOString()}",${report}"results":[${batch?.lines.join(',') ?? ''}]}`;
    const outcome = await client.send({ method: 'POST', path: 'api/ingest/results', credential, body });
    if (outcome.kind === 'ok') return this.#accepted(batch, pending, outcome);
    if (outcome.kind === 'refused') await this.#refused(batch, outcome.message);
    if (outcome.kind === 'away') this.#away(outcome.message);
    return outcome;
  }

  async #accepted(
    batch: SpoolBatch | null,
    pending: PendingReport | null,
    outcome: Outcome & { kind: 'ok' },
  ): Promise<Outcome> {
    const { spool, logger } = this.#options;
    const answer = IngestReport.safeParse(outcome.body);
    if (!answer.success) {
      const message = 'the answer is not that of a Roundtrip server';
      this.#away(message);
      return { kind: 'away', message, retryAfterMs: null };
    }
    pending?.taken();
    this.#reportedAt = performance.now();
    if (this.#reports === 'doubted')
      logger.warn('the server is older than this prober and takes no reports of missed runs');
    if (this.#reports !== 'on') this.#reports = this.#reports === 'innocent' ? 'on' : 'off';
    if (batch) await spool.acknowledge(batch);
    if (this.#failures > 0) logger.info('the server takes results again');
    this.#failures = 0;
    this.#size = Math.min(BATCH_RESULTS, this.#size * 2);
    this.counts.uploaded += answer.data.accepted;
    this.counts.duplicates += answer.data.duplicates;
    this.#logRejected(answer.data.rejected);
    return outcome;
  }

  #logRejected(rejected: IngestReport['rejected']): void {
    this.counts.rejected += rejected.length;
    for (const each of rejected.slice(0, NAMED_REJECTIONS)) {
      const field = each.field ? `${each.field}: ` : '';
      this.#options.logger.warn(
        `the server rejects result ${each.id ?? `number ${each.index}`}: ${field}${each.message}`,
      );
    }
    const more = rejected.length - NAMED_REJECTIONS;
    if (more > 0) this.#options.logger.warn(`and ${more} more results of this batch`);
  }

  /**
   * The batch as a whole is not taken: tried without its report, then halved until it passes, or until the one result at
   * fault is alone.
   */
  async #refused(batch: SpoolBatch | null, message: string): Promise<void> {
    const { spool, logger } = this.#options;
    if (this.#reports === 'on') {
      this.#reports = 'doubted';
      return;
    }
    if (this.#reports === 'doubted') this.#reports = 'innocent';
    if (!batch) return;
    if (batch.lines.length > 1) {
      this.#size = Math.ceil(batch.lines.length / 2);
      return;
    }
    await spool.acknowledge(batch);
    this.counts.rejected += 1;
    logger.warn(`the server refuses a result for good, it is dropped: ${message}`);
  }

  #away(message: string): void {
    this.#failures += 1;
    if (this.#failures === 1) this.#options.logger.warn(`the server takes no results, keeping them: ${message}`);
    else this.#options.logger.debug(`still no: ${message}`);
  }
}
