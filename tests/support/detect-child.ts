import { createDetectionJob } from '#server/pipeline/pipeline.ts';

// A process that detects by a clock that goes from `from` to `to` by `step` (seconds since 1970), to be killed in the middle of
// it. Says `{now}` before each step and `{done: true}` at the end.

const [from = 0, to = 0, step = 1] = process.argv.slice(2, 5).map(Number);
const job = createDetectionJob();
for (let now = from; now <= to; now += step) {
  process.send?.({ now });
  while (await job.step(now * 1_000)) {
    // Each turn takes a stretch.
  }
}
await job.close();
process.send?.({ done: true });
process.disconnect?.();
process.exit(0);
