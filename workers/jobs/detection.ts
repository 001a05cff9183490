import { createDetectionJob } from '#server/pipeline/pipeline.ts';
import { loop } from './loop.ts';

/** How often results are looked for, ms. */
const PAUSE_MS = 3_000;

/** Feeds the detector until the signal; where another process does it, stands by. */
export async function runDetection(signal: AbortSignal): Promise<void> {
  const job = createDetectionJob(signal);
  await loop(
    'detection',
    PAUSE_MS,
    async () => {
      while (!signal.aborted && (await job.step())) {
        // A stretch at a time, until all there is has been looked at.
      }
    },
    signal,
  );
  await job.close();
}
