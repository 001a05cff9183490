import { Worker } from 'node:worker_threads';
import type { Result } from '#contract/result.ts';
import { type Plan, sharesOf } from './plan.ts';
import { runPlan } from './run.ts';

/** Runs a plan over so many threads of this process; with one, in the main thread. */
export async function runOnThreads(plan: Plan, threads: number, onResult: (result: Result) => void): Promise<void> {
  const shares = sharesOf(plan, threads);
  if (shares.length === 1) await runPlan(plan, onResult);
  else await Promise.all(shares.map((share) => runInWorker(share, onResult)));
}

function runInWorker(share: Plan, onResult: (result: Result) => void): Promise<void> {
  return new Promise((settle, reject) => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: share });
    worker.on('message', onResult);
    worker.once('error', reject);
    worker.once('exit', () => settle());
  });
}
