// A process of the lab: our engine in the prober's namespace. Each line in is an order; the Results of its probes (the main
// one, and those that the settings ask for after it) are the line out. It says `ready` once it is warm.
import { createInterface } from 'node:readline';
import { v7 as uuidv7 } from 'uuid';
import type { Result } from '#contract/result.ts';
import { ProbeSettings } from '#contract/target.ts';
import { realEnvironment } from '#probe/environment.ts';
import { measureSequence } from '#probe/sequence.ts';
import { warmUp } from '#probe/warm-up.ts';
import type { ProbeOrder } from './probing.ts';

const environment = realEnvironment();
await warmUp(ProbeSettings.parse({}), environment);
process.stdout.write('ready\n');
for await (const line of createInterface({ input: process.stdin })) {
  const { url, settings }: ProbeOrder = JSON.parse(line);
  const identity = { id: uuidv7(), targetId: null, vantage: null, demo: false };
  const request = { ...identity, url, settings: ProbeSettings.parse(settings), timeoutMs: 20_000, allowPrivate: true };
  const results: Result[] = [];
  await measureSequence(request, environment, (result) => results.push(result));
  process.stdout.write(`${JSON.stringify(results)}\n`);
}
process.exit(0);
