import { v7 as uuidv7 } from 'uuid';
import type { Result } from '#contract/result.ts';
import { type ProbeEnvironment, realEnvironment } from '#probe/environment.ts';
import { Admission, busyShareHere, LEAST_GAP_MS, loopBusyMs } from '#probe/load/admission.ts';
import type { ProbeRequest } from '#probe/request.ts';
import { measureSequence } from '#probe/sequence.ts';
import { warmUp } from '#probe/warm-up.ts';
import { Pace } from './pace.ts';
import type { Plan } from './plan.ts';

/** What a thread says of its starts; instants are wall-clock milliseconds, so that those of threads can be compared. */
export type RunReport = { started: number; firstAt: number; lastAt: number; late: number; latestMs: number };

/** Where Results go. While it is not `open` no probe is started; it calls `onOpen` when it opens again. */
export type ResultSink = {
  readonly open: boolean;
  onOpen: () => void;
  /** The Results of one sequence, the main one first. */
  take(results: Result[]): void;
};

/** Makes this thread ready to measure: its code warm, its roots read. */
export async function readyFor(plan: Plan): Promise<ProbeEnvironment> {
  const environment = realEnvironment();
  await warmUp(plan.settings, environment);
  return environment;
}

/** Runs a plan in this thread, its first start due at `startAt` (of the environment's clock). */
export function runPlan(
  plan: Plan,
  environment: ProbeEnvironment,
  sink: ResultSink,
  startAt: number = environment.clock.now(),
): Promise<RunReport> {
  return new PlanRun(plan, environment, sink, startAt).run();
}

/** A start waits for its turn in the pace, for a place among those in flight, and for a loop that has time. */
class PlanRun {
  readonly #plan: Plan;
  readonly #environment: ProbeEnvironment;
  readonly #sink: ResultSink;
  readonly #admission = new Admission(busyShareHere());
  readonly #pace: Pace;
  readonly #over = Promise.withResolvers<void>();
  #begun = 0;
  #ended = 0;
  #firstAt = 0;
  #lastAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(plan: Plan, environment: ProbeEnvironment, sink: ResultSink, startAt: number) {
    this.#plan = plan;
    this.#environment = environment;
    this.#sink = sink;
    this.#pace = new Pace(plan.everyMs, startAt);
    sink.onOpen = () => this.#arm(0);
  }

  async run(): Promise<RunReport> {
    this.#arm(0);
    await this.#over.promise;
    const { late, latestMs } = this.#pace;
    return { started: this.#begun, firstAt: this.#firstAt, lastAt: this.#lastAt, late, latestMs };
  }

  /** Looks again after `ms`; where only the end of a probe or the sink can change anything, they call. */
  #arm(ms: number): void {
    clearTimeout(this.#timer);
    const full = this.#begun - this.#ended >= this.#plan.concurrency;
    if (this.#begun === this.#plan.count || full || !this.#sink.open) return;
    this.#timer = setTimeout(() => this.#tick(), Math.max(LEAST_GAP_MS, ms));
  }

  #tick(): void {
    const now = this.#environment.clock.now();
    const waitMs = Math.max(this.#pace.waitMs(now), this.#admission.waitMs(now, loopBusyMs()));
    if (waitMs > 0) {
      this.#arm(waitMs);
      return;
    }
    this.#pace.started(now);
    this.#admission.started(now);
    this.#begun += 1;
    this.#lastAt = Date.now();
    this.#firstAt ||= this.#lastAt;
    void this.#probe();
    this.#arm(this.#pace.waitMs(now));
  }

  async #probe(): Promise<void> {
    const results: Result[] = [];
    try {
      await measureSequence(requestOf(this.#plan), this.#environment, (result) => results.push(result));
    } catch (error) {
      this.#over.reject(error);
      return;
    }
    this.#ended += 1;
    this.#sink.take(results);
    if (this.#ended === this.#plan.count) this.#over.resolve();
    else if (this.#begun - this.#ended === this.#plan.concurrency - 1) this.#arm(0);
  }
}

/** Who asks from a terminal may reach private addresses: the network is theirs. */
function requestOf({ url, settings, otherAddresses, timeoutMs }: Plan): ProbeRequest {
  const whose = { targetId: null, vantage: null, demo: false, allowPrivate: true };
  return { id: uuidv7(), url, settings, otherAddresses, timeoutMs, ...whose };
}
