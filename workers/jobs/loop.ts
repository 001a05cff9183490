import { setTimeout as sleep } from 'node:timers/promises';
import { log } from '#server/environment/log.ts';

/** Well below the silence after which the jobs are taken for dead: a database that is back is found soon. */
const LONGEST_PAUSE_MS = 8_000;

/**
 * Does `work` again and again with `pauseMs` between, until the signal. A failure is logged and the next try comes after
 * a pause that doubles: a database that is away for a while must not end the process.
 */
export async function loop(
  name: string,
  pauseMs: number,
  work: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  let pause = pauseMs;
  while (!signal.aborted) {
    try {
      await work();
      pause = pauseMs;
    } catch (error) {
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
      if (!signal.aborted) log.error({ err: error, job: name, retryMs: pause }, 'job failed');
    }
    await sleep(pause, undefined, { signal }).catch(() => {});
  }
}
