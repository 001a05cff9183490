import { parentPort, workerData } from 'node:worker_threads';
import type { FromWorker, ToWorker, WorkerOptions } from './messages.ts';
import { ThreadResultSink } from './result-sink.ts';
import { readyFor, runPlan } from './run.ts';

const port = parentPort;
if (!port) throw new Error('this file is a thread of `roundtrip probe`, not a program');
const { plan, json } = workerData as WorkerOptions;
const say = (message: FromWorker) => port.postMessage(message);

const environment = await readyFor(plan);
const sink = new ThreadResultSink(json, plan, (batch) => say({ kind: 'batch', batch }));
port.on('message', (message: ToWorker) => {
  if (message.kind === 'printed') sink.printed(message.count);
  else void run(message.at);
});
say({ kind: 'ready' });

async function run(at: number): Promise<void> {
  const inMs = at - performance.timeOrigin - performance.now();
  const report = await runPlan(plan, environment, sink, environment.clock.now() + inMs);
  sink.flush();
  say({ kind: 'done', report });
  port?.close();
}
