import type { Check } from '#contract/check.ts';
import type { Networks } from '#contract/public-address.ts';
import { threadOf } from '../hash.ts';
import type { Logger } from '../logger.ts';
import type { Answer, Task } from '../measurements.ts';
import type { Measurer, MeasuringStats } from '../measuring.ts';
import { ProberClock } from '../prober-clock.ts';
import { Member } from './member.ts';

type Options = {
  threads: number;
  /** Networks that are not public and may be reached. */
  reachable: Networks;
  firstSpreadMs?: number | undefined;
  /** Most probes at once in each thread. */
  maxInFlight?: number | undefined;
  logger: Logger;
  /** What Results are dated by; one that needs no correction where left out. */
  clock?: ProberClock | undefined;
  /** Results as JSON, as they were measured. */
  onLines(lines: string[]): void;
  /** Results of measurements. */
  onAnswer?: ((answer: Answer) => void) | undefined;
  /** The file that each thread runs; for tests of threads that die. */
  entry?: URL | undefined;
};

const ENTRY = new URL('./thread.ts', import.meta.url);

/** Runs checks over several threads: a hash of its id says which thread a check belongs to. */
export class ThreadPool implements Measurer {
  readonly #members: Member[];

  constructor({
    threads,
    reachable,
    logger,
    onLines,
    onAnswer = () => {},
    firstSpreadMs,
    maxInFlight,
    clock = new ProberClock(),
    entry = ENTRY,
  }: Options) {
    const thread = { reachable, firstSpreadMs, maxInFlight };
    this.#members = Array.from(
      { length: threads },
      (_, index) => new Member({ number: index + 1, entry, thread, clock, logger, onLines, onAnswer }),
    );
  }

  /** Resolves once every thread is warm. */
  async ready(): Promise<void> {
    await Promise.all(this.#members.map(({ ready }) => ready));
  }

  apply(put: Iterable<Check>, removed: Iterable<string>): void {
    const shares = this.#members.map(() => ({ put: [] as Check[], removed: [] as string[] }));
    for (const id of removed) shares[this.#indexOf(id)]?.removed.push(id);
    for (const check of put) shares[this.#indexOf(check.id)]?.put.push(check);
    for (const [index, share] of shares.entries()) {
      if (share.put.length + share.removed.length > 0) this.#members[index]?.apply(share.put, share.removed);
    }
  }

  request(task: Task): void {
    this.#members[this.#indexOf(task.id)]?.request(task);
  }

  takeBack(measurementId: string): void {
    for (const member of this.#members) member.takeBack(measurementId);
  }

  settledUntil(): number | null {
    const words = this.#members.map((member) => member.settledUntil());
    const known = words.filter((word) => word !== null);
    return known.length < words.length ? null : Math.min(...known);
  }

  correct(aheadMs: number): void {
    for (const member of this.#members) member.correct(aheadMs);
  }

  stats(): MeasuringStats {
    return this.#members
      .map((member) => member.stats())
      .reduce((sum, stats) => ({
        started: sum.started + stats.started,
        missed: sum.missed + stats.missed,
        retaken: sum.retaken + stats.retaken,
        unclean: sum.unclean + stats.unclean,
        faults: sum.faults + stats.faults,
        leftOut: sum.leftOut + stats.leftOut,
        checks: sum.checks + stats.checks,
        inFlight: sum.inFlight + stats.inFlight,
        threads: sum.threads + stats.threads,
      }));
  }

  async stop(graceMs: number): Promise<void> {
    await Promise.all(this.#members.map((member) => member.stop(graceMs)));
  }

  #indexOf(id: string): number {
    return threadOf(id, this.#members.length);
  }
}
