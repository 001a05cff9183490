import { performance } from 'node:perf_hooks';
import { runDelayMs } from '../kernel/run-delay.ts';

/** When this thread's loop was last known to look at its sockets, how long it had slept by then, and how long waited. */
let lookedAt = 0;
let sleptBy = 0;
let runDelaySeen = 0;
let rested = true;

/** A piece of our own work begins now (performance.now()), right after a look at the sockets. */
export function workBegins(now: number): void {
  const slept = performance.nodeTiming.idleTime;
  rested = slept !== sleptBy;
  lookedAt = now;
  sleptBy = slept;
}

/** It has ended: from here on the loop looks again. */
export function workEnded(): void {
  // A loop that never rests needs not ask the kernel: its stamps are late by its own work.
  if (!rested) return;
  lookedAt = performance.now();
  runDelaySeen = runDelayMs();
}

/**
 * How late a stamp taken now by the event loop may be, in ms: the time for which it worked since it looked at its sockets
 * last, and where it has slept since, the time for which the kernel let this thread wait for a processor (Linux; elsewhere
 * unknown). Work before it slept is counted too, so the bound is never too low.
 */
export function stampLateness(now: number): number {
  const slept = performance.nodeTiming.idleTime - sleptBy;
  const worked = Math.max(0, now - lookedAt - slept);
  return slept > 0 ? Math.max(worked, runDelayMs() - runDelaySeen) : worked;
}
