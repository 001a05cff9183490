import { parentPort, workerData } from 'node:worker_threads';
import type { Plan } from './plan.ts';
import { runPlan } from './run.ts';

const plan: Plan = workerData;
await runPlan(plan, (result) => parentPort?.postMessage(result));
