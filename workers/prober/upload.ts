import { IngestReport } from '#contract/ingest.ts';
import { backoffMs, pause } from './backoff.ts';
import type { IngestClient, Outcome } from './client.ts';
import type { Logger } from './logger.ts';
import type { Spool, SpoolBatch } from './spool.ts';

/** Most results in a batch: about 2 MB of JSON. */
export const BATCH_RESULTS = 500;
/** A batch that is not full goes out after this long, so that the dashboard stays fresh. */
const EVERY_MS = 1_000;
/** Rejected results that are named in the log, of each batch. */
const NAMED_REJECTIONS = 5;

type Options = {
  spool: Spool;
  client: IngestClient;
  credential: string;
  logger: Logger;
  everyMs?: number;
};

/** Brings the spool to the server, oldest first: a batch leaves the spool when the server has answered for it. */
export class Uploader {
  readonly counts = { uploaded: 0, duplicates: 0, rejected: 0 };
  #options: Options;
  #size = BATCH_RESULTS;
  #failures = 0;

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
      const outcome = batch ? await this.#send(batch) : null;
      if (outcome?.kind === 'unauthorised') return outcome.message;
      if (finishing && (!outcome || outcome.kind === 'away')) return null;
      if (outcome?.kind === 'away') {
        await pause(outcome.retryAfterMs ?? backoffMs(this.#failures), finish);
      } else if (!batch || batch.lines.length < this.#size) {
        await pause(everyMs, finish);
        await spool.flush();
      }
    }
  }

  async #send(batch: SpoolBatch): Promise<Outcome> {
    const { client, credential } = this.#options;
    // The results travel as they were written; only the time of sending is new, for the server to tell our skew.
    const body = `{"sentAt":"${new Date().toISOString()}","results":[${batch.lines.join(',')}]}`;
    const outcome = await client.send({ method: 'POST', path: 'api/ingest/results', credential, body });
    if (outcome.kind === 'ok') return this.#accepted(batch, outcome);
    if (outcome.kind === 'refused') await this.#refused(batch, outcome.message);
    if (outcome.kind === 'away') this.#away(outcome.message);
    return outcome;
  }

  async #accepted(batch: SpoolBatch, outcome: Outcome & { kind: 'ok' }): Promise<Outcome> {
    const { spool, logger } = this.#options;
    const report = IngestReport.safeParse(outcome.body);
    if (!report.success) {
      const message = 'the answer is not that of a Roundtrip server';
      this.#away(message);
      return { kind: 'away', message, retryAfterMs: null };
    }
    await spool.acknowledge(batch);
    if (this.#failures > 0) logger.info('the server takes results again');
    this.#failures = 0;
    this.#size = Math.min(BATCH_RESULTS, this.#size * 2);
    this.counts.uploaded += report.data.accepted;
    this.counts.duplicates += report.data.duplicates;
    this.#logRejected(report.data.rejected);
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

  /** The batch as a whole is not taken: halved until it passes, or until the one result at fault is alone. */
  async #refused(batch: SpoolBatch, message: string): Promise<void> {
    if (batch.lines.length > 1) {
      this.#size = Math.ceil(batch.lines.length / 2);
      return;
    }
    await this.#options.spool.acknowledge(batch);
    this.counts.rejected += 1;
    this.#options.logger.warn(`the server refuses a result for good, it is dropped: ${message}`);
  }

  #away(message: string): void {
    this.#failures += 1;
    if (this.#failures === 1) this.#options.logger.warn(`the server takes no results, keeping them: ${message}`);
    else this.#options.logger.debug(`still no: ${message}`);
  }
}
