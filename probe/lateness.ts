import { openSync, readSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

/** Kept on a thread of its own by Node's module cache: state of this thread's event loop. */
let workedSince = 0;
let idleWhenWorking = 0;
let runDelaySeen = 0;
let schedstat: number | null | undefined;
const text = Buffer.alloc(64);

/** A piece of our own work begins now (performance.now()): what arrives meanwhile is stamped after it. */
export function workBegins(now: number): void {
  workedSince = now;
  idleWhenWorking = performance.nodeTiming.idleTime;
}

/**
 * How late a stamp taken now by the event loop may be, in ms: the work that the loop comes from where it has not slept
 * since, else the time for which the kernel let this thread wait for a processor (Linux; elsewhere that is not told).
 */
export function stampLateness(now: number): number {
  if (performance.nodeTiming.idleTime === idleWhenWorking) return Math.max(0, now - workedSince);
  const before = runDelaySeen;
  runDelaySeen = runDelayMs();
  return runDelaySeen - before;
}

/** Milliseconds that this thread was ready to run and did not (the second number of its schedstat); 0 where unknown. */
function runDelayMs(): number {
  schedstat ??= openSchedstat();
  if (schedstat === null) return 0;
  const length = readSync(schedstat, text, 0, text.length, 0);
  return Number(text.toString('latin1', 0, length).split(' ')[1] ?? 0) / 1e6;
}

function openSchedstat(): number | null {
  try {
    return openSync('/proc/thread-self/schedstat', 'r');
  } catch {
    return null;
  }
}
