/** A thread that measures and does nothing else: it takes checks and hands Results back. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Logger } from '../logger.ts';
import { startMeasuring } from '../measuring.ts';
import { ProberClock } from '../prober-clock.ts';
import type { FromThread, ThreadOptions, ToThread } from './messages.ts';

/** Results and counts are handed over this often (ms), many in one message. */
const HAND_OVER_MS = 100;
/** Counts that changed while no Result came are handed over after so many turns of that. */
const IDLE_TURNS = 10;

const port = parentPort;
if (!port) throw new Error('this file is a thread of the prober, not a program');
const options = workerData as ThreadOptions;
const say = (message: FromThread) => port.postMessage(message);
const log = (level: keyof Logger) => (message: string) => say({ kind: 'log', level, message });
const logger: Logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };

let lines: string[] = [];
const measuring = await startMeasuring({
  ...options,
  clock: new ProberClock(options.clock),
  logger,
  onResult: (result) => void lines.push(JSON.stringify(result)),
  onAnswer: (answer) => say({ kind: 'answer', answer }),
});
let idleTurns = 0;
const handOver = () => {
  idleTurns += 1;
  if (lines.length === 0 && idleTurns < IDLE_TURNS) return;
  say({ kind: 'results', lines, stats: measuring.stats(), settledUntil: measuring.settledUntil() });
  lines = [];
  idleTurns = 0;
};
const timer = setInterval(handOver, HAND_OVER_MS);

async function stop(graceMs: number): Promise<void> {
  await measuring.stop(graceMs);
  clearInterval(timer);
  idleTurns = IDLE_TURNS;
  handOver();
  say({ kind: 'stopped', stats: measuring.stats() });
}

port.on('message', (message: ToThread) => {
  if (message.kind === 'apply') measuring.apply(message.put, message.removed);
  else if (message.kind === 'request') measuring.request(message.task);
  else if (message.kind === 'takeBack') measuring.takeBack(message.measurementId);
  else if (message.kind === 'correct') measuring.correct(message.aheadMs);
  else void stop(message.graceMs);
});
say({ kind: 'ready' });
