import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, type Runner, type RunnerOptions, run, type WorkerEvents } from 'graphile-worker';
import { getPool } from '#server/database/database.ts';
import { log } from '#server/environment/log.ts';

// graphile-worker gives up where the database is cut off at a bad moment: when it has done a job and cannot say so. Left to
// its defaults nobody hears of that error, and Node ends the process for it; in batches the runner hears of it, and ends. Here
// another then takes its place.

const BATCHED = { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } };
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
const LEVELS = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const;

/** The logger of a runner, or of what hands work to it. */
export const runnerLogger = (job: string) => new Logger(() => (level, message) => log[LEVELS[level]]({ job }, message));

/** Stops taking jobs, and waits for those that are under way. */
export type KeptRunner = { stop: () => Promise<void> };

/**
 * Runs these tasks on the process's pool until it is stopped, whatever happens to the database's connections. Throws where
 * the first start fails; later ones are tried until they succeed or the signal comes.
 */
export async function keepRunning(job: string, signal: AbortSignal, options: RunnerOptions): Promise<KeptRunner> {
  const runners = new Set<Runner>();
  let current = await start();

  async function start(): Promise<Runner> {
    const events: WorkerEvents = new EventEmitter();
    // Said first of all by a runner that ends, however long its last jobs then take.
    events.once('pool:gracefulShutdown', () => void replace());
    const runner = await run({
      ...options,
      pgPool: getPool(),
      noHandleSignals: true,
      logger: runnerLogger(job),
      preset: BATCHED,
      events,
    });
    runners.add(runner);
    runner.promise.then(
      () => runners.delete(runner),
      () => runners.delete(runner),
    );
    return runner;
  }

  async function replace(): Promise<void> {
    for (let pause = FIRST_PAUSE_MS; !signal.aborted; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      await sleep(pause, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      try {
        current = await start();
        // The process was asked to end meanwhile, and has stopped what there was then.
        if (signal.aborted) return await stop();
        return log.warn({ job }, 'the runner had ended; another has taken its place');
      } catch (error) {
        log.error({ err: error, job }, 'the runner cannot start');
      }
    }
  }

  const stop = async () => {
    await Promise.allSettled([...runners].map((runner) => (runner === current ? runner.stop() : runner.promise)));
  };
  return { stop };
}
