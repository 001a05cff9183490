import { v7 } from 'uuid';
import type { Check } from '#contract/check.ts';
import type { Result, VantageRef } from '#contract/result.ts';
import type { ProbeEnvironment } from '#probe/environment.ts';
import { measure } from '#probe/measure.ts';
import type { ProbeRequest } from '#probe/request.ts';
import type { Logger } from './logger.ts';
import { Runner } from './runner.ts';
import { Schedule, timeoutOf } from './schedule.ts';

/** Missed runs and unclean results are told in the log this often, when there are any. */
const REPORT_EVERY_MS = 60_000;

type Options = {
  /** Asked for every probe: give the same environment again for the same vantage. */
  environmentFor(vantage: VantageRef): ProbeEnvironment;
  firstSpreadMs?: number | undefined;
  maxInFlight?: number | undefined;
  logger: Logger;
  onResult(result: Result): void;
};

/** Runs checks on their schedule and hands every Result on. */
export class Measuring {
  /** `unclean`: taken while the loop was late. `faults`: ended in an exception, which is our bug and no result. */
  readonly counts = { unclean: 0, faults: 0 };
  #options: Options;
  #schedule: Schedule;
  #runner: Runner;
  #reporting: NodeJS.Timeout;
  #reported = { missed: 0, unclean: 0 };

  constructor(options: Options) {
    this.#options = options;
    this.#schedule = new Schedule({ random: Math.random, ...options });
    this.#runner = new Runner(this.#schedule, (check) => this.#run(check));
    this.#reporting = setInterval(() => this.#report(), REPORT_EVERY_MS);
  }

  apply(put: Iterable<Check>, removed: Iterable<string>): void {
    this.#runner.apply(put, removed);
  }

  stats() {
    const { size, inFlight, counts } = this.#schedule;
    return { checks: size, inFlight, ...counts, ...this.counts };
  }

  /** Starts nothing more; probes under way get `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    clearInterval(this.#reporting);
    await this.#runner.stop(graceMs);
  }

  async #run(check: Check): Promise<{ disturbed: boolean }> {
    try {
      const { result } = await measure(requestOf(check), this.#options.environmentFor(check.vantage));
      if (!result.prober.clean) this.counts.unclean += 1;
      this.#options.onResult(result);
      return { disturbed: !result.prober.clean };
    } catch (error) {
      this.counts.faults += 1;
      this.#options.logger.error(`a probe ended in a fault of ours: ${error instanceof Error ? error.stack : error}`);
      return { disturbed: false };
    }
  }

  #report(): void {
    const { checks, missed, unclean } = this.stats();
    const newMissed = missed - this.#reported.missed;
    const newUnclean = unclean - this.#reported.unclean;
    this.#reported = { missed, unclean };
    if (newMissed + newUnclean === 0) return;
    this.#options.logger.warn(
      `this prober is short of time: in the last minute ${newMissed} runs were missed and ${newUnclean} results not clean (${checks} checks)`,
    );
  }
}

/** The id is minted here, at the vantage: however often the result is sent, it counts once. */
function requestOf(check: Check): ProbeRequest {
  const { url, settings, targetId, vantage, demo, allowPrivate } = check;
  return { id: v7(), url, settings, timeoutMs: timeoutOf(check), targetId, vantage, demo, allowPrivate };
}
