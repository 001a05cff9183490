import { Worker } from 'node:worker_threads';
import { keepYoungGenerationSmall } from '#probe/load/young-generation.ts';
import type { FromWorker, ToWorker, WorkerOptions } from './messages.ts';
import { type Plan, sharesOf } from './plan.ts';
import { type Batch, ThreadResultSink } from './result-sink.ts';
import type { RunReport } from './run.ts';

/** From the last thread's readiness to the first start (ms): the word must have reached all of them. */
const LEAD_MS = 10;

/** Prints a batch; resolves when our output has taken it. */
export type Print = (batch: Batch) => Promise<void>;

/**
 * Runs a plan over so many threads, and prints in this one: measuring and writing don't wait for each other. With one
 * thread all runs here: handing Results over costs more processor time and memory than writing them.
 */
export async function runOnThreads(plan: Plan, threads: number, json: boolean, print: Print): Promise<RunReport[]> {
  keepYoungGenerationSmall();
  const plans = sharesOf(plan, threads);
  if (plans.length === 1) return [await runHere(plan, json, print)];
  const shares = plans.map((share, index) => new Share({ plan: share, json }, index, print));
  await Promise.all(shares.map(({ ready }) => ready));
  const at = performance.timeOrigin + performance.now() + LEAD_MS;
  // Each thread starts one step of the whole pace after the one before it, so that their starts don't coincide.
  for (const [index, share] of shares.entries()) share.tell({ kind: 'go', at: at + index * plan.everyMs });
  return Promise.all(shares.map(({ done }) => done));
}

async function runHere(plan: Plan, json: boolean, print: Print): Promise<RunReport> {
  // The engine costs tens of megabytes in each thread that loads it.
  const { readyFor, runPlan } = await import('./run.ts');
  let printing = Promise.resolve();
  const sink = new ThreadResultSink(json, plan, (batch) => {
    printing = printing.then(() => print(batch)).then(() => sink.printed(batch.count));
    // The caller that waits for the last batch receives the error.
    printing.catch(() => {});
  });
  const report = await runPlan(plan, await readyFor(plan), sink);
  sink.flush();
  await printing;
  return report;
}

/** One thread and its part of the plan. */
class Share {
  readonly ready: Promise<void>;
  /** Settles when all of its Results have been printed. */
  readonly done: Promise<RunReport>;
  readonly #worker: Worker;
  #printing: Promise<void> = Promise.resolve();

  constructor(options: WorkerOptions, index: number, print: Print) {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: options });
    this.#worker = worker;
    const ready = Promise.withResolvers<void>();
    const done = Promise.withResolvers<RunReport>();
    let over = false;
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'ready') ready.resolve();
      else if (message.kind === 'batch') this.#print(message.batch, print, done.reject);
      else {
        over = true;
        this.#printing.then(() => done.resolve(message.report), done.reject);
      }
    });
    for (const { reject } of [ready, done]) {
      worker.once('error', reject);
      worker.once(
        'exit',
        () => over || reject(new Error(`measuring thread ${index + 1} ended before its work was done`)),
      );
    }
    this.ready = ready.promise;
    this.done = done.promise;
    this.done.catch(() => {});
  }

  tell(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  #print(batch: Batch, print: Print, fail: (error: unknown) => void): void {
    this.#printing = this.#printing.then(() => print(batch));
    this.#printing.then(() => this.tell({ kind: 'printed', count: batch.count }), fail);
  }
}
