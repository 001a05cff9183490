import { IngestReport } from '#contract/ingest.ts';
import { backoffMs, pause } from './backoff.ts';
import type { IngestClient, Outcome } from './client.ts';
import type { Logger } from './logger.ts';
import type { ProberClock } from './prober-clock.ts';
import type { Quarantine, Refused } from './quarantine.ts';
import type { PendingReport } from './report.ts';
import type { ServerTime } from './server-time.ts';
import type { Spool, SpoolBatch } from './spool.ts';
import { restampedLine, stampedLine } from './stamp.ts';
import type { Standing } from './standing.ts';

/** Most results in a batch: about 2 MB of JSON. */
export const BATCH_RESULTS = 500;
/** A batch that is not full goes out after this long, so that the dashboard stays fresh. */
const EVERY_MS = 1_000;
/** Without a result to send, the report goes out by itself this often (ms). */
const REPORT_EVERY_MS = 60_000;
/** Rejected results that are named in the log, of each batch. */
const NAMED_REJECTIONS = 5;
/** Results that the server rejects for their time are sent again this often (ms), for so long; then they are refused. */
const RETRY_EVERY_MS = 300_000;
const RETRY_FOR_MS = 86_400_000;
/** Since when (the server's time) a result waits for another try. */
const WAITING_MARK = /^\{"@waits":(\d+),/;

/**
 * A server of an older version refuses a batch for its report. So a refused batch is tried without it (`doubted`): if it
 * passes, no more are sent (`off`); if not, the report was `innocent` and comes back with the next batch that passes.
 */
type Reporting = 'on' | 'doubted' | 'innocent' | 'off';

type Options = {
  spool: Spool;
  /** Results that were rejected for their time: apart from the others, which they must not hold up. */
  waiting: Spool;
  quarantine: Quarantine;
  client: IngestClient;
  credential: string;
  standing: Standing;
  clock: ProberClock;
  time: ServerTime;
  logger: Logger;
  /** What this prober did since the server last heard of it; goes out with every batch. */
  report(): PendingReport;
  everyMs?: number;
  reportEveryMs?: number;
  retryEveryMs?: number | undefined;
};
/** A batch as it is on disk, and its results as they are sent. */
type Sending = SpoolBatch & { stamped: string[] };

/** Brings the spool to the server, oldest first: a batch leaves the spool when the server has answered for it. */
export class Uploader {
  readonly counts = { uploaded: 0, duplicates: 0, rejected: 0, retried: 0 };
  #options: Options;
  #size = BATCH_RESULTS;
  #failures = 0;
  #reportedAt = performance.now();
  #retriedAt = Number.NEGATIVE_INFINITY;
  #reports: Reporting = 'on';

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * Runs until the server has refused the credential for too long (then it returns the reason) or until `finish` aborts:
   * what is left then is sent while the server takes it, and the answer is null. The client's own signal ends that early.
   * Nothing is sent before the server's time is known: a result bears one time, however often it goes out.
   */
  async run(finish: AbortSignal): Promise<string | null> {
    const { spool, standing, time, everyMs = EVERY_MS } = this.#options;
    await Promise.race([time.learnt, aborted(finish)]);
    for (;;) {
      const finishing = finish.aborted; // asked before the flush, so that no result slips through behind it
      if (finishing) await spool.flush();
      if (finishing && !time.isLearnt) return null;
      if (standing.isRefused) {
        if (finishing) return null;
        await pause(everyMs, finish); // the poll asks again
        continue;
      }
      await this.#returnWaiting();
      const batch = await spool.read(this.#size);
      const outcome = batch || this.#reportIsDue() ? await this.#send(batch) : null;
      if (outcome?.kind === 'unauthorised') {
        if (standing.refused(outcome.message)) return outcome.message;
        continue;
      }
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
  async #send(read: SpoolBatch | null): Promise<Outcome> {
    const { client, credential, time } = this.#options;
    const aheadOf = (epoch: string) => time.aheadOf(epoch);
    const batch = read && { ...read, stamped: read.lines.map((line) => stampedLine(unmarked(line), aheadOf)) };
    const pending = this.#reports === 'on' ? this.#options.report() : null;
    const report = pending ? `"report":${JSON.stringify(pending.report)},` : '';
    // The time of sending is the machine's own, for the server to tell our skew.
    const body = `{"sentAt":"${new Date().toISOString()}",${report}"results":[${batch?.stamped.join(',') ?? ''}]}`;
    const outcome = await client.send({ method: 'POST', path: 'api/ingest/results', credential, body });
    if (outcome.kind === 'ok') return this.#accepted(batch, pending, outcome);
    if (outcome.kind === 'refused') await this.#refused(batch, outcome.message);
    if (outcome.kind === 'away') this.#away(outcome.message);
    // A proxy that passes small bodies alone: smaller batches, and none of them given up.
    if (outcome.kind === 'away' && outcome.tooLarge)
      this.#size = Math.max(1, Math.ceil((batch?.lines.length ?? 1) / 2));
    return outcome;
  }

  async #accepted(
    batch: Sending | null,
    pending: PendingReport | null,
    outcome: Outcome & { kind: 'ok' },
  ): Promise<Outcome> {
    const { spool, logger, standing, time } = this.#options;
    const answer = IngestReport.safeParse(outcome.body);
    if (!answer.success) {
      const message = 'the answer is not that of a Roundtrip server';
      this.#away(message);
      return { kind: 'away', message, retryAfterMs: null };
    }
    standing.accepted();
    if (answer.data.serverTime) time.learn({ ...outcome, serverTime: answer.data.serverTime });
    pending?.taken();
    this.#reportedAt = performance.now();
    if (this.#reports === 'doubted')
      logger.warn('the server is older than this prober and takes no reports of missed runs');
    if (this.#reports !== 'on') this.#reports = this.#reports === 'innocent' ? 'on' : 'off';
    if (batch) {
      await this.#settle(batch, answer.data.rejected);
      await spool.acknowledge(batch);
    }
    if (this.#failures > 0) logger.info('the server takes results again');
    this.#failures = 0;
    this.#size = Math.min(BATCH_RESULTS, this.#size * 2);
    this.counts.uploaded += answer.data.accepted;
    this.counts.duplicates += answer.data.duplicates;
    return outcome;
  }

  /** Takes care of what the server did not take, before the batch leaves the spool. */
  async #settle(batch: Sending, rejected: IngestReport['rejected']): Promise<void> {
    const { spool, waiting, clock } = this.#options;
    const now = Math.round(clock.serverNow());
    const refused: IngestReport['rejected'] = [];
    for (const each of rejected) {
      const line = batch.stamped[each.index];
      if (line === undefined) continue;
      const since = Number(WAITING_MARK.exec(batch.lines[each.index] ?? '')?.[1] ?? now);
      const anew = each.retry ? restampedLine(line, clock) : null;
      if (anew !== null) spool.appendLine(anew);
      else if (each.retry && now - since < RETRY_FOR_MS) waiting.appendLine(`{"@waits":${since},${line.slice(1)}`);
      else refused.push(each);
    }
    this.counts.retried += rejected.length - refused.length;
    if (refused.length < rejected.length) await Promise.all([spool.flush(), waiting.flush()]);
    this.#logRejected(refused);
    await this.#quarantine(
      refused.map(({ index, field, message }) => ({ line: batch.stamped[index] ?? 'null', field, reason: message })),
    );
  }

  async #quarantine(refused: Refused[]): Promise<void> {
    const { quarantine, clock } = this.#options;
    this.counts.rejected += refused.length;
    await quarantine.add(refused, new Date(clock.serverNow()));
  }

  /** Puts what waits for another try back into the spool when it is time for that. */
  async #returnWaiting(): Promise<void> {
    const { spool, waiting, retryEveryMs = RETRY_EVERY_MS } = this.#options;
    if (performance.now() - this.#retriedAt < retryEveryMs) return;
    this.#retriedAt = performance.now();
    await waiting.flush();
    for (let batch = await waiting.read(BATCH_RESULTS); batch; batch = await waiting.read(BATCH_RESULTS)) {
      for (const line of batch.lines) spool.appendLine(line);
      await spool.flush();
      await waiting.acknowledge(batch);
    }
  }

  #logRejected(rejected: IngestReport['rejected']): void {
    for (const each of rejected.slice(0, NAMED_REJECTIONS)) {
      const field = each.field ? `${each.field}: ` : '';
      this.#options.logger.warn(
        `the server rejects result ${each.id ?? `number ${each.index}`}, it goes to the quarantine: ${field}${each.message}`,
      );
    }
    const more = rejected.length - NAMED_REJECTIONS;
    if (more > 0) this.#options.logger.warn(`and ${more} more results of this batch`);
  }

  /**
   * The batch as a whole is not taken: tried without its report, then halved until it passes, or until the one result at
   * fault is alone.
   */
  async #refused(batch: Sending | null, message: string): Promise<void> {
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
    logger.warn(`the server refuses a result for good, it goes to the quarantine: ${message}`);
    await this.#quarantine([{ line: batch.stamped[0] ?? 'null', field: null, reason: message }]);
    await spool.acknowledge(batch);
  }

  #away(message: string): void {
    this.#failures += 1;
    if (this.#failures === 1) this.#options.logger.warn(`the server takes no results, keeping them: ${message}`);
    else this.#options.logger.debug(`still no: ${message}`);
  }
}

function unmarked(line: string): string {
  const mark = WAITING_MARK.exec(line)?.[0];
  return mark === undefined ? line : `{${line.slice(mark.length)}`;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
