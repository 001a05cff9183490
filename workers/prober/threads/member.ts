import { Worker } from 'node:worker_threads';
import type { Check } from '#contract/check.ts';
import { backoffMs } from '../backoff.ts';
import type { Logger } from '../logger.ts';
import type { Answer, Task } from '../measurements.ts';
import type { MeasuringCounts, MeasuringStats } from '../measuring.ts';
import type { ProberClock } from '../prober-clock.ts';
import type { FromThread, ThreadOptions, ToThread } from './messages.ts';

/** A thread that lasted this long (ms) is not one that dies as soon as it starts. */
const STEADY_MS = 60_000;
/** A thread that says nothing for so long (ms) after its grace is ended. */
const STOP_LIMIT_MS = 1_000;
const NOTHING: MeasuringCounts = { started: 0, missed: 0, retaken: 0, unclean: 0, faults: 0, leftOut: 0 };

export type MemberOptions = {
  /** From 1 on, for the log. */
  number: number;
  /** The file that the thread runs. */
  entry: URL;
  thread: Omit<ThreadOptions, 'clock'>;
  clock: ProberClock;
  logger: Logger;
  /** Results as JSON. */
  onLines(lines: string[]): void;
  onAnswer(answer: Answer): void;
};

/** One measuring thread with its checks. A thread that dies is started again with them, and what it missed is counted. */
export class Member {
  readonly #options: MemberOptions;
  readonly #checks = new Map<string, Check>();
  /** What threads that have died had counted. */
  readonly #before: MeasuringCounts = { ...NOTHING };
  readonly #ready = Promise.withResolvers<void>();
  #counts: MeasuringCounts = NOTHING;
  #inFlight = 0;
  /** By its last word: null where it has not spoken since its checks changed. */
  #settledUntil: number | null = null;
  #worker: Worker | undefined;
  #startedAt = 0;
  #deaths = 0;
  #restart: NodeJS.Timeout | undefined;
  #stopping: PromiseWithResolvers<void> | undefined;

  constructor(options: MemberOptions) {
    this.#options = options;
    this.#start();
  }

  /** Resolves once the thread is warm, or has died for the first time. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  apply(put: Check[], removed: string[]): void {
    for (const id of removed) this.#checks.delete(id);
    for (const check of put) this.#checks.set(check.id, check);
    this.#settledUntil = null;
    this.#post({ kind: 'apply', put, removed });
  }

  settledUntil(): number | null {
    return this.#checks.size === 0 ? Number.POSITIVE_INFINITY : this.#settledUntil;
  }

  /** Runs a task once; it is lost where the thread dies. */
  request(task: Task): void {
    this.#post({ kind: 'request', task });
  }

  takeBack(measurementId: string): void {
    this.#post({ kind: 'takeBack', measurementId });
  }

  correct(aheadMs: number): void {
    this.#post({ kind: 'correct', aheadMs });
  }

  stats(): MeasuringStats {
    const sum = { ...this.#before };
    for (const key of countKeys) sum[key] += this.#counts[key];
    return { ...sum, checks: this.#checks.size, inFlight: this.#inFlight, threads: 1 };
  }

  async stop(graceMs: number): Promise<void> {
    clearTimeout(this.#restart);
    this.#stopping ??= Promise.withResolvers<void>();
    const worker = this.#worker;
    if (!worker) return;
    this.#post({ kind: 'stop', graceMs });
    const timer = setTimeout(() => this.#stopping?.resolve(), graceMs + STOP_LIMIT_MS);
    await this.#stopping.promise;
    clearTimeout(timer);
    await worker.terminate();
  }

  #start(): void {
    const { entry, thread, clock, logger, number } = this.#options;
    const workerData: ThreadOptions = { ...thread, clock: clock.state() };
    const worker = new Worker(entry, { workerData });
    this.#worker = worker;
    this.#startedAt = performance.now();
    worker.on('message', (message: FromThread) => this.#take(message));
    worker.on('error', (error) => logger.error(`measuring thread ${number} failed: ${said(error)}`));
    worker.once('exit', () => this.#ended());
    this.#post({ kind: 'apply', put: [...this.#checks.values()], removed: [] });
  }

  #post(message: ToThread): void {
    this.#worker?.postMessage(message);
  }

  #take(message: FromThread): void {
    const { logger, onLines, onAnswer } = this.#options;
    if (message.kind === 'ready') this.#ready.resolve();
    else if (message.kind === 'answer') onAnswer(message.answer);
    else if (message.kind === 'log') logger[message.level](message.message);
    else this.#note(message.stats);
    if (message.kind === 'results') {
      if (message.lines.length > 0) onLines(message.lines);
      this.#settledUntil = message.settledUntil;
    }
    if (message.kind === 'stopped') this.#stopping?.resolve();
  }

  #note(stats: MeasuringStats): void {
    this.#counts = stats;
    this.#inFlight = stats.inFlight;
  }

  #ended(): void {
    this.#worker = undefined;
    this.#settledUntil = null;
    this.#ready.resolve();
    for (const key of countKeys) this.#before[key] += this.#counts[key];
    this.#counts = NOTHING;
    const lost = this.#inFlight;
    this.#inFlight = 0;
    if (this.#stopping) {
      this.#stopping.resolve();
      return;
    }
    const now = performance.now();
    this.#deaths = now - this.#startedAt > STEADY_MS ? 1 : this.#deaths + 1;
    const waitMs = backoffMs(this.#deaths);
    const { logger, number } = this.#options;
    logger.error(
      `measuring thread ${number} ended with about ${lost} probes under way; it is started again with its ${this.#checks.size} checks in ${(waitMs / 1_000).toFixed(1)} s`,
    );
    this.#restart = setTimeout(() => this.#startAgain(now), waitMs);
  }

  #startAgain(endedAt: number): void {
    const downMs = performance.now() - endedAt;
    const due = [...this.#checks.values()].reduce((sum, check) => sum + downMs / (check.periodSeconds * 1_000), 0);
    this.#before.missed += Math.round(due);
    this.#start();
  }
}

const countKeys = Object.keys(NOTHING) as (keyof MeasuringCounts)[];

function said(error: unknown): string {
  return error instanceof Error ? `${error.stack}` : String(error);
}
