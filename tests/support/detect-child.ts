import { createDetectionJob } from '#server/pipeline/pipeline.ts';

// A process that detects by a clock that goes from `from` to `to` by `step` (seconds since 1970), to be killed in the middle of
// it. Says `{now}` before each step and `{done: true}` at the end. With `history` it begins with the present, and says
// `{history: true}` after each stretch of what it goes through behind that.

const [from = 0, to = 0, step = 1] = process.argv.slice(2, 5).map(Number);
const withHistory = process.argv[5] === 'history';
const job = createDetectionJob(withHistory ? { inOrderResults: 0, checkpointSamples: 500 } : {});
for (let now = from; now <= to; now += step) {
  process.send?.({ now });
  while (await job.step(now * 1_000)) {
    // Each turn takes a stretch.
  }
}
while (withHistory && (await job.history(to * 1_000))) process.send?.({ history: true });
await job.close();
process.send?.({ done: true });
process.disconnect?.();
process.exit(0);
