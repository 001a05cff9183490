import { IngestReport } from '#contract/ingest.ts';
import { backoffMs, pause } from './backoff.ts';
import type { IngestClient, Outcome } from './client.ts';
import type { Logger } from './logger.ts';
import type { ProberClock } from './prober-clock.ts';
import type { Quarantine, Refused } from './quarantine.ts';
import type { PendingReport } from './report.ts';
import type { ServerTime } from './server-time.ts';
import { withSharedParts } from './share.ts';
import type { Spool, SpoolBatch } from './spool.ts';
import { restampedLine, stampedLine } from './stamp.ts';
import type { Standing } from './standing.ts';

/** Most results in a batch: about 2 MB of JSON. */
export const BATCH_RESULTS = 500;
/** How often (ms) it looks for results to send. A batch that is not full goes out then, unless the server asks for a longer wait. */
const EVERY_MS = 1_000;
/** The longest wait (ms) that a server may ask for. */
const LONGEST_WAIT_MS = 60_000;
/** So many results go out whatever wait the server asked for. */
export const ENOUGH_RESULTS = 250;
/** A report goes out with a batch this often (ms), sooner where results were lost or refused; without results this often. */
const REPORT_WITH_RESULTS_MS = 15_000;
const REPORT_EVERY_MS = 60_000;
/** A server that knows less than what is so by more than this (ms) is told, without results. */
const WORD_AFTER_MS = 2_000;
/** Rejected results that are named in the log, of each batch. */
const NAMED_REJECTIONS = 5;
/** Results that the server rejects for their time are sent again this often (ms), for so long; then they are refused. */
const RETRY_EVERY_MS = 300_000;
const RETRY_FOR_MS = 86_400_000;
/** Results that are blamed for it in a row that nothing passes; then one more each time that those which wait come back. */
const BLAMED_IN_A_ROW = 8;
/** Since when (the server's time) a result waits for another try. */
const WAITING_MARK = /^\{"@waits":(\d+),/;

type Options = {
  spool: Spool;
  /** Results that are not taken now: apart from the others, which they must not hold up. */
  waiting: Spool;
  quarantine: Quarantine;
  client: IngestClient;
  credential: string;
  standing: Standing;
  clock: ProberClock;
  time: ServerTime;
  logger: Logger;
  /** What this prober did since its last report. */
  report(): PendingReport;
  /** Every run that began before (ms of the prober's clock) is in the spool or delivered; null: not known now. */
  settledUntil(): number | null;
  everyMs?: number;
  reportEveryMs?: number;
  retryEveryMs?: number | undefined;
};
/** Runs that began before `until` (ms, the server's time) are delivered once the oldest `behind` results of the spool are. */
type Word = { until: number; behind: number };
/** A batch as it is on disk, and its results as they are sent. */
type Sending = SpoolBatch & { stamped: string[] };

/** Brings the spool to the server, oldest first: a batch leaves the spool when the server has answered for it. */
export class Uploader {
  readonly counts = { uploaded: 0, duplicates: 0, rejected: 0, retried: 0 };
  #options: Options;
  #size = BATCH_RESULTS;
  #failures = 0;
  /** Before this (ms of performance.now()) no batch goes out that is not full. */
  #nextBatchAt = 0;
  /** What the server asked for last, ms; null where it does not say. */
  #nextBatchMs: number | null = null;
  readonly #startedAt = performance.now();
  #reportedAt: number | null = null;
  /** Results went out since the last report. */
  #unreported = false;
  #retriedAt = Number.NEGATIVE_INFINITY;
  #askAt = 0;
  #blamed = 0;
  #blamedAt = 0;
  /** Up to where we will have delivered, and up to where the server knows that we have. */
  #word: Word | null = null;
  #saidUntil = Number.NEGATIVE_INFINITY;

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * Runs until the server has refused the credential for too long (then it returns the reason) or until `finish` aborts:
   * what is left then is sent while the server takes it, and the answer is null. The client's own signal ends that early.
   * No result is sent before the server's time is known, since it bears one time, however often it goes out. Where the
   * assignments do not show it (they may fail by themselves), a report does.
   */
  async run(finish: AbortSignal): Promise<string | null> {
    const { spool, standing, time, everyMs = EVERY_MS } = this.#options;
    await Promise.race([time.learnt, pause(everyMs, finish)]);
    for (;;) {
      const finishing = finish.aborted; // asked before the flush, so that no result slips through behind it
      if (finishing) await spool.flush();
      if (finishing && !time.isLearnt) return null;
      if (standing.isRefused && (finishing || performance.now() < this.#askAt)) {
        if (finishing) return null;
        await pause(everyMs, finish); // the poll asks as well
        continue;
      }
      if (time.isLearnt) await this.#returnWaiting();
      this.#takeWord();
      const size = this.#size;
      const batch = time.isLearnt && (finishing || this.#batchIsDue()) ? await spool.read(size) : null;
      const asked = batch || !time.isLearnt || this.#reportIsDue(finishing) || this.#wordIsDue();
      const outcome = asked ? await this.#send(batch, finishing) : null;
      if (outcome?.kind === 'unauthorised') {
        if (standing.refused(outcome.message)) return outcome.message;
        this.#askAt = performance.now() + standing.askAgainMs;
        continue;
      }
      if (finishing && (!outcome || outcome.kind === 'away')) return null;
      if (outcome?.kind === 'away') {
        await pause(outcome.retryAfterMs ?? backoffMs(this.#failures), finish);
      } else if (!batch || (outcome?.kind !== 'refused' && batch.lines.length < size)) {
        if (batch) this.#nextBatchAt = performance.now() + (this.#nextBatchMs ?? everyMs);
        const waitMs = this.#nextBatchAt - performance.now();
        await pause(waitMs > 0 ? Math.min(everyMs, waitMs) : everyMs, finish);
        this.#takeWord(); // before the flush, so that the next batch holds all that it speaks of
        await spool.flush();
      }
    }
  }

  #batchIsDue(): boolean {
    return performance.now() >= this.#nextBatchAt || this.#options.spool.unconfirmed >= ENOUGH_RESULTS;
  }

  /** Looks how far the measuring is, unless an earlier look waits for results that are still to be sent. */
  #takeWord(): void {
    const { spool, clock, time, settledUntil } = this.#options;
    if (!time.isLearnt || (this.#word !== null && this.#word.behind > 0)) return;
    const settled = settledUntil();
    const behind = spool.unconfirmed;
    if (settled === null || !Number.isFinite(settled) || !Number.isFinite(behind)) return;
    this.#word = { until: Math.floor(settled - (clock.aheadMs ?? 0)), behind };
  }

  /** Whether the server waits for what is not to come: nothing is to be sent, and it knows of an earlier time alone. */
  #wordIsDue(): boolean {
    const { clock } = this.#options;
    // The first answer is that to results, or to a report.
    if (this.#reportedAt === null || this.#word === null || this.#word.behind > 0) return false;
    return this.#saidUntil < clock.serverNow() - WORD_AFTER_MS && this.#word.until > this.#saidUntil + WORD_AFTER_MS;
  }

  /** Whether a report goes out by itself: from time to time, and at the end where the last batches had none. */
  #reportIsDue(finishing: boolean): boolean {
    const { reportEveryMs = REPORT_EVERY_MS } = this.#options;
    const sinceMs = performance.now() - (this.#reportedAt ?? this.#startedAt);
    return sinceMs >= reportEveryMs || (finishing && this.#unreported);
  }

  /** The report that goes out with a batch: the first and the last, and from time to time one between. */
  #reportWithBatch(finishing: boolean): PendingReport | null {
    const pending = this.#options.report();
    const isDue = this.#reportedAt === null || performance.now() - this.#reportedAt >= REPORT_WITH_RESULTS_MS;
    return isDue || pending.urgent || finishing ? pending : null;
  }

  /** Sends a batch, or (null) a report alone. */
  async #send(read: SpoolBatch | null, finishing: boolean): Promise<Outcome> {
    const { time, everyMs = EVERY_MS } = this.#options;
    const aheadOf = (epoch: string) => time.aheadOf(epoch);
    const batch = read && { ...read, stamped: read.lines.map((line) => stampedLine(unmarked(line), aheadOf)) };
    const pending = batch ? this.#reportWithBatch(finishing) : this.#options.report();
    const word = this.#wordWith(batch);
    const outcome = await this.#post(batch?.stamped ?? [], pending, word);
    if (outcome.kind === 'ok') {
      if (word) this.#saidUntil = word.until;
      return this.#accepted(batch, pending, outcome);
    }
    if (outcome.kind === 'unauthorised') return outcome;
    const { kind, message } = outcome;
    if (kind === 'refused' && batch && (await this.#divided(batch, () => this.#giveUp(batch, message)))) return outcome;
    this.#away(message);
    if (kind === 'refused') return { kind: 'away', message, retryAfterMs: null };
    // A part of it may pass, and soon.
    const divided = outcome.smaller && batch && (await this.#divided(batch, () => this.#setAside(batch, message)));
    return divided ? { ...outcome, retryAfterMs: everyMs } : outcome;
  }

  /** What is true once this batch is stored. */
  #wordWith(batch: SpoolBatch | null): Word | null {
    const word = this.#word;
    return word !== null && word.behind <= countOf(batch) ? word : null;
  }

  async #post(lines: string[], pending: PendingReport | null, word: Word | null): Promise<Outcome> {
    const { client, credential } = this.#options;
    const report = pending ? `"report":${JSON.stringify(pending.report)},` : '';
    const until = word ? `"until":"${new Date(word.until).toISOString()}",` : '';
    const lists = lines.length > 1 ? await withSharedParts(lines) : null;
    const results = lists ? `"shared":${lists.shared},"results":${lists.results}` : `"results":[${lines.join(',')}]`;
    // The time of sending is the machine's own, so that the server can compute our clock skew.
    const body = `{"sentAt":"${new Date().toISOString()}",${report}${until}${results}}`;
    return await client.send({ method: 'POST', path: 'api/ingest/results', credential, body });
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
    const { serverTime } = answer.data;
    if (serverTime) time.learn({ ...outcome, serverTime });
    this.#nextBatchMs =
      answer.data.nextBatchMs === undefined ? null : Math.min(answer.data.nextBatchMs, LONGEST_WAIT_MS);
    pending?.taken();
    if (pending) this.#reportedAt = performance.now();
    this.#unreported = pending === null;
    if (batch) {
      this.#blamed = 0;
      await this.#settle(batch, answer.data.rejected);
      await spool.acknowledge(batch);
      this.#sent(batch);
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
    const refused: IngestReport['rejected'] = [];
    for (const each of rejected) {
      const line = batch.stamped[each.index];
      if (line === undefined) continue;
      const restamped = each.retry && each.field === 'startedAt' ? restampedLine(line, clock) : null;
      if (restamped !== null) spool.append(restamped);
      else if (!each.retry || !this.#letWait(batch, each.index)) refused.push(each);
    }
    this.counts.retried += rejected.length - refused.length;
    if (refused.length < rejected.length) await Promise.all([spool.flush(), waiting.flush()]);
    this.#logRejected(refused);
    await this.#quarantine(
      refused.map(({ index, field, message }) => ({ line: batch.stamped[index] ?? 'null', field, reason: message })),
    );
  }

  /** Another try later; false for a result that has had them for as long as it may. */
  #letWait(batch: Sending, index: number): boolean {
    const { waiting, clock } = this.#options;
    const now = Math.round(clock.serverNow());
    const since = Number(WAITING_MARK.exec(batch.lines[index] ?? '')?.[1] ?? now);
    if (now - since >= RETRY_FOR_MS) return false;
    waiting.append(`{"@waits":${since},${batch.stamped[index]?.slice(1)}`);
    return true;
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
      for (const line of batch.lines) spool.append(line);
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
   * Halves a batch until it passes or the one result at fault is alone, which `blame` takes out of the way. Where nothing
   * passes without it either, or one after the other is at fault, none of them is: then it is false, and the spool keeps them.
   */
  async #divided(batch: Sending, blame: () => Promise<void>): Promise<boolean> {
    const { retryEveryMs = RETRY_EVERY_MS } = this.#options;
    if (batch.lines.length > 1) {
      this.#size = Math.ceil(batch.lines.length / 2);
      return true;
    }
    const now = performance.now();
    if (this.#blamed >= BLAMED_IN_A_ROW && now - this.#blamedAt < retryEveryMs) return false;
    if (!(await this.#passesEmpty())) return false;
    this.#blamed += 1;
    this.#blamedAt = now;
    await blame();
    await this.#options.spool.acknowledge(batch);
    this.#sent(batch);
    return true;
  }

  /** These are no longer to be sent. */
  #sent(batch: SpoolBatch): void {
    if (this.#word !== null) this.#word = { ...this.#word, behind: Math.max(0, this.#word.behind - countOf(batch)) };
  }

  /** Whether a batch without results passes. */
  async #passesEmpty(): Promise<boolean> {
    const outcome = await this.#post([], this.#options.report(), null); // sent again with the next batch, and counted once
    return outcome.kind === 'ok' && IngestReport.safeParse(outcome.body).success;
  }

  /** A result that the server refuses for good. */
  async #giveUp({ stamped }: Sending, message: string): Promise<void> {
    this.#options.logger.warn(`the server refuses a result for good, it goes to the quarantine: ${message}`);
    await this.#quarantine([{ line: stamped[0] ?? 'null', field: null, reason: message }]);
  }

  /** A result that does not get through to the server, while others may. */
  async #setAside(batch: Sending, message: string): Promise<void> {
    const { waiting, logger } = this.#options;
    if (!this.#letWait(batch, 0)) return this.#giveUp(batch, message);
    this.counts.retried += 1;
    logger.warn(`a result does not get through, it waits apart from the others: ${message}`);
    await waiting.flush();
  }

  #away(message: string): void {
    this.#failures += 1;
    if (this.#failures === 1) this.#options.logger.warn(`the server takes no results, keeping them: ${message}`);
    else this.#options.logger.debug(`still no: ${message}`);
  }
}

const countOf = (batch: SpoolBatch | null): number => (batch ? batch.lines.length + batch.torn : 0);

function unmarked(line: string): string {
  const mark = WAITING_MARK.exec(line)?.[0];
  return mark === undefined ? line : `{${line.slice(mark.length)}`;
}
