import { setTimeout as sleep } from 'node:timers/promises';
import { createDetectionJob, type DetectionJob } from '#server/pipeline/pipeline.ts';
import { loop } from './loop.ts';

/** How often results are looked for, ms. */
const PAUSE_MS = 3_000;

/** After a stretch of history it rests for so many times as long as that took: half a core at most is its. */
const REST = 1;

/** Feeds the detector until the signal; where another process does it, stands by. */
export async function runDetection(signal: AbortSignal): Promise<void> {
  const job = createDetectionJob();
  await loop(
    'detection',
    PAUSE_MS,
    async () => {
      while (!signal.aborted && (await job.step())) {
        // A stretch at a time, until all there is has been looked at.
      }
      await workOnHistory(job, signal);
    },
    signal,
  );
  await job.close();
}

/** Until it is time for the present again. */
async function workOnHistory(job: DetectionJob, signal: AbortSignal): Promise<void> {
  const until = performance.now() + PAUSE_MS;
  let begun = performance.now();
  while (!signal.aborted && begun < until && (await job.history())) {
    await sleep(REST * (performance.now() - begun), undefined, { signal }).catch(() => {});
    begun = performance.now();
  }
}
