import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import type { Result } from '#contract/result.ts';
import { type ProbeEnvironment, realEnvironment } from '#probe/environment.ts';
import { measure } from '#probe/measure.ts';
import { warmUp } from '#probe/warm-up.ts';
import type { Plan } from './plan.ts';

/** Runs a plan in this thread and hands over each Result as it comes. */
export async function runPlan(plan: Plan, onResult: (result: Result) => void): Promise<void> {
  const environment = realEnvironment();
  await warmUp(plan.settings, environment);
  const startedAt = environment.clock.now();
  let begun = 0;
  const lane = async () => {
    while (begun < plan.count) {
      const dueAt = startedAt + begun * plan.everyMs;
      begun += 1;
      const wait = dueAt - environment.clock.now();
      if (wait > 0) await sleep(wait);
      await probeOnce(plan, environment, onResult);
    }
  };
  await Promise.all(Array.from({ length: Math.min(plan.concurrency, plan.count) }, lane));
}

async function probeOnce(plan: Plan, environment: ProbeEnvironment, onResult: (result: Result) => void): Promise<void> {
  const first = await measure(requestOf(plan), environment);
  onResult(first.result);
  if (!plan.resume || !first.session) return;
  const second = await measure({ ...requestOf(plan), session: first.session }, environment);
  onResult(second.result);
}

/** Who asks from a terminal may reach private addresses: the network is theirs. */
function requestOf({ url, settings, timeoutMs }: Plan) {
  return { id: uuidv7(), url, settings, timeoutMs, targetId: null, vantage: null, demo: false, allowPrivate: true };
}
