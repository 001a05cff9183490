import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { jobsHeapMib } from './heaps.ts';

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;
/** A thread that ran this long was well: its next end is followed by a start at once again. */
const SETTLED_MS = 60_000;
/** Objects of the jobs are either short-lived or there for good: little room for new ones is enough. */
const YOUNG_MIB = 8;

const ENTRY = new URL('../../workers/jobs/thread.ts', import.meta.url);

/**
 * The jobs as a thread of this process. When it ends unasked it is started again, after a pause that doubles. `entry` is the file
 * that it runs, for tests of threads that die.
 */
export function startJobsThread(entry: URL = ENTRY): { stop: () => Promise<void> } {
  const stopping = new AbortController();
  let worker: Worker | null = null;

  async function keep(): Promise<void> {
    let pause = FIRST_RETRY_MS;
    while (!stopping.signal.aborted) {
      const startedAt = performance.now();
      // A machine without room for another thread throws at once.
      const how = await run().catch((error: Error) => error.message);
      if (stopping.signal.aborted) return;
      if (performance.now() - startedAt > SETTLED_MS) pause = FIRST_RETRY_MS;
      process.stderr.write(`the jobs ended (${how}), restarting in ${pause / 1_000} s\n`);
      await sleep(pause, undefined, { signal: stopping.signal }).catch(() => {});
      pause = Math.min(pause * 2, LONGEST_RETRY_MS);
    }
  }

  async function run(): Promise<string> {
    // Node's own option for the pages' heap would count for every heap that is made from here on.
    setFlagsFromString(`--max-old-space-size=${jobsHeapMib()}`);
    const thread = new Worker(entry, {
      name: 'roundtrip-jobs',
      // Those of the process name files relative to a folder that Next has left.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: jobsHeapMib(), maxYoungGenerationSizeMb: YOUNG_MIB },
    });
    worker = thread;
    return new Promise((resolve) => {
      let how = '';
      thread.once('error', (error) => {
        how = error instanceof Error ? (error.stack ?? error.message) : String(error);
      });
      thread.once('exit', (code) => resolve(how || `exit status ${code}`));
    });
  }

  const kept = keep();
  return {
    async stop() {
      stopping.abort();
      worker?.postMessage('stop');
      await kept;
    },
  };
}
