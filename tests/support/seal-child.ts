import { sealDays } from '#server/blocks/seal.ts';

// Seals the days before an instant (ms since 1970), and kills itself where a step comes for the nth time.
const [now, name, nth] = process.argv.slice(2);
let met = 0;
await sealDays(Number(now), {
  step: (step) => {
    if (step === name && ++met === Number(nth)) process.kill(process.pid, 'SIGKILL');
  },
});
process.exit(0);
