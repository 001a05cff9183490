// A process of the lab: our engine in the prober's namespace. Each line in is an order; the Result of its probe is the
// line out. It says `ready` once it is warm.
import { createInterface } from 'node:readline';
import { v7 as uuidv7 } from 'uuid';
import { ProbeSettings } from '#contract/target.ts';
import { realEnvironment } from '#probe/environment.ts';
import { measure } from '#probe/measure.ts';
import { warmUp } from '#probe/warm-up.ts';
import type { ProbeOrder } from './probing.ts';

const environment = realEnvironment();
await warmUp(ProbeSettings.parse({}), environment);
process.stdout.write('ready\n');
for await (const line of createInterface({ input: process.stdin })) {
  const { url, settings }: ProbeOrder = JSON.parse(line);
  const identity = { id: uuidv7(), targetId: null, vantage: null, demo: false };
  const request = { ...identity, url, settings: ProbeSettings.parse(settings), timeoutMs: 20_000, allowPrivate: true };
  const { result } = await measure(request, environment);
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
process.exit(0);
