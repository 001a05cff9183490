import { v7 } from 'uuid';
import type { Check } from '#contract/check.ts';
import type { Networks } from '#contract/public-address.ts';
import type { Result, VantageRef } from '#contract/result.ts';
import { ProbeSettings } from '#contract/target.ts';
import { type ProbeEnvironment, realEnvironment } from '#probe/environment.ts';
import type { ProbeRequest } from '#probe/request.ts';
import { measureSequence } from '#probe/sequence.ts';
import { warmUp } from '#probe/warm-up.ts';
import type { Logger } from './logger.ts';
import type { Answer, Task } from './measurements.ts';
import { Pacing } from './pacing.ts';
import { ProberClock } from './prober-clock.ts';
import { Runner } from './runner.ts';
import { budgetOf, timeoutOf } from './schedule.ts';
import { SleepingClock } from './sleeping-clock.ts';
import { type SpooledResult, timedRun } from './stamp.ts';

export type MeasuringCounts = {
  /** Runs that began, and runs that were due and did not. */
  started: number;
  missed: number;
  /** Runs taken again because our own load had disturbed them. */
  retaken: number;
  /** Results taken while this prober was late. */
  unclean: number;
  /** Runs that ended in an exception, which is our bug and no Result. */
  faults: number;
  /** Probes that were to follow a run's first one, and for which its time did not suffice. */
  leftOut: number;
};

export type MeasuringStats = MeasuringCounts & { checks: number; inFlight: number; threads: number };

/** What is promised where nothing is due, ms. */
const LONGEST_PROMISE_MS = 3_600_000;

/** What runs checks on their schedule: this thread, or several of them. */
export type Measurer = {
  apply(put: Iterable<Check>, removed: Iterable<string>): void;
  /** Runs a task of a measurement once, between the checks; its Result is an answer, and counts nowhere. */
  request(task: Task): void;
  /** Begins no further task of this measurement. */
  takeBack(measurementId: string): void;
  stats(): MeasuringStats;
  /**
   * Every run that began before (ms of the prober's clock) has handed its Results on; in the future where none will begin before. Null:
   * not known now.
   */
  settledUntil(): number | null;
  /** Runs from now on are stamped by a clock that is so far (ms) ahead of the server's. */
  correct(aheadMs: number): void;
  /** Starts nothing more; probes under way get `graceMs`. Every Result has been handed on when it resolves. */
  stop(graceMs: number): Promise<void>;
};

export type MeasuringOptions = {
  /** Networks that are not public and may be reached, where the server allows it for the check too. */
  reachable: Networks;
  /** Asked for every probe: give the same environment again for the same vantage. */
  environmentFor(vantage: VantageRef): ProbeEnvironment;
  firstSpreadMs?: number | undefined;
  maxInFlight?: number | undefined;
  logger: Logger;
  /** What Results are dated by; one that needs no correction where left out. */
  clock?: ProberClock | undefined;
  onResult(result: SpooledResult): void;
  /** Results of measurements, for those who request tasks. */
  onAnswer?: ((answer: Answer) => void) | undefined;
};

type StartOptions = Omit<MeasuringOptions, 'environmentFor'> & Partial<Pick<MeasuringOptions, 'environmentFor'>>;

/** Measures in this thread, warm; through the machine's own network where no environments are given. */
export async function startMeasuring(options: StartOptions): Promise<Measuring> {
  const environment = realEnvironment();
  await warmUp(ProbeSettings.parse({}), environment);
  return new Measuring({ ...options, environmentFor: options.environmentFor ?? (() => environment) });
}

/** Runs checks on their schedule in this thread and hands every Result on. */
class Measuring implements Measurer {
  readonly #counts = { unclean: 0, faults: 0, leftOut: 0 };
  /** When the runs under way began, by the prober's clock. */
  readonly #begun = new Set<{ at: number }>();
  #options: MeasuringOptions;
  readonly #pacing: Pacing;
  #runner: Runner;
  #clock: ProberClock;
  #pace: { now(): number };

  constructor(options: MeasuringOptions) {
    this.#options = options;
    this.#clock = options.clock ?? new ProberClock();
    const clock = new SleepingClock();
    this.#pace = clock;
    const { firstSpreadMs, maxInFlight } = options;
    const epoch = Date.now() - clock.now();
    this.#pacing = new Pacing({ random: Math.random, epoch, firstSpreadMs, maxInFlight });
    this.#runner = new Runner(this.#pacing, clock, (run) =>
      'measurementId' in run ? this.#runTask(run) : this.#run(run),
    );
  }

  apply(put: Iterable<Check>, removed: Iterable<string>): void {
    this.#runner.apply(put, removed);
  }

  request(task: Task): void {
    if (!this.#runner.request(task)) this.#options.logger.warn('a measurement is left out: too many wait');
  }

  takeBack(measurementId: string): void {
    this.#pacing.takeBack(measurementId);
  }

  stats(): MeasuringStats {
    const { size, inFlight, counts } = this.#pacing;
    return { checks: size, inFlight, threads: 1, ...counts, ...this.#counts };
  }

  settledUntil(): number {
    const now = this.#clock.now();
    const next = this.#pacing.nextCheckAt();
    const starts = [...this.#begun].map(({ at }) => at);
    return Math.min(now + (next === null ? LONGEST_PROMISE_MS : next - this.#pace.now()), ...starts);
  }

  correct(aheadMs: number): void {
    this.#clock.aheadMs = aheadMs;
  }

  async stop(graceMs: number): Promise<void> {
    await this.#runner.stop(graceMs);
  }

  async #run(check: Check): Promise<{ disturbed: boolean }> {
    const { environmentFor, logger, reachable } = this.#options;
    const run = { at: this.#clock.now() };
    this.#begun.add(run);
    try {
      const { environment, stamp } = timedRun(environmentFor(check.vantage), this.#clock);
      const onResult = (result: Result) => this.#take(stamp(result));
      const { main, leftOut } = await measureSequence(
        requestOf({ ...check, timeoutMs: timeoutOf(check) }, environment, reachable),
        environment,
        onResult,
        budgetOf(check),
      );
      this.#counts.leftOut += leftOut.length;
      return { disturbed: !main.prober.clean };
    } catch (error) {
      this.#counts.faults += 1;
      logger.error(`a probe ended in a fault of ours: ${error instanceof Error ? error.stack : error}`);
      return { disturbed: false };
    } finally {
      this.#begun.delete(run);
    }
  }

  async #runTask(task: Task): Promise<{ disturbed: boolean }> {
    const { environmentFor, logger, reachable, onAnswer } = this.#options;
    try {
      const { environment, stamp } = timedRun(environmentFor(task.vantage), this.#clock);
      const request = requestOf({ ...task, targetId: null }, environment, reachable);
      await measureSequence(request, environment, (result) => {
        const { '@clock': _, ...stamped } = stamp(result);
        onAnswer?.({ measurementId: task.measurementId, line: JSON.stringify(stamped) });
      });
    } catch (error) {
      this.#counts.faults += 1;
      logger.error(`a measurement ended in a fault of ours: ${error instanceof Error ? error.stack : error}`);
    }
    return { disturbed: false };
  }

  #take(result: SpooledResult): void {
    // Runs are counted, as `started` and `retaken` count them: what follows a main Result is part of its run.
    if (!result.prober.clean && (result.variant ?? 'main') === 'main') this.#counts.unclean += 1;
    this.#options.onResult(result);
  }
}

type Requested = Pick<
  ProbeRequest,
  'url' | 'settings' | 'timeoutMs' | 'targetId' | 'vantage' | 'demo' | 'allowPrivate'
>;

/** The id is minted here, at the vantage and by the time of the Result: however often it is sent, it counts once. */
function requestOf(run: Requested, { clock }: ProbeEnvironment, reachable: Networks): ProbeRequest {
  const { url, settings, timeoutMs, targetId, vantage, demo, allowPrivate } = run;
  const id = v7({ msecs: clock.wallTime().getTime() });
  return { id, url, settings, timeoutMs, targetId, vantage, demo, allowPrivate, reachable };
}
