import { thinOldDays } from '#server/blocks/rare-results.ts';

// Thins the days that are past the retention of results at an instant (ms since 1970), and kills itself at a step.
const [now, name] = process.argv.slice(2);
await thinOldDays(Number(now), (step) => {
  if (step === name) process.kill(process.pid, 'SIGKILL');
});
process.exit(0);
