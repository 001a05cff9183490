import { performance } from 'node:perf_hooks';
import { runDelayMs } from '../kernel/run-delay.ts';

/** Less than this (ms) a look at the sockets takes where something waits there already: no sleep. */
const LEAST_SLEEP_MS = 0.02;

/** An instant (performance.now()) at which this thread's loop had looked at its sockets, and how long it had slept by then. */
type Look = { at: number; slept: number };

/** The newest look, and the one before it: what waited when the loop looked without sleeping may have come since then. */
let newest: Look = { at: 0, slept: 0 };
let before: Look = newest;
/** How long this thread had waited for a processor when the kernel was asked last. */
let runDelaySeen = 0;
let rested = true;

/** A piece of our own work begins now (performance.now()), right after a look at the sockets. */
export function workBegins(now: number): void {
  const slept = performance.nodeTiming.idleTime;
  rested = slept !== newest.slept;
  newest = { at: now, slept };
  before = newest;
}

/** It has ended: from here on the loop looks again. */
export function workEnded(): void {
  // A loop that never rests needs not ask the kernel: its stamps are late by its own work.
  if (rested) looked(performance.now());
}

/** The loop is about to look at its sockets (performance.now()): what comes while it sleeps is late by later waits alone. */
export function looked(now: number): void {
  const slept = performance.nodeTiming.idleTime;
  if (slept !== newest.slept) before = newest;
  newest = { at: now, slept };
  runDelaySeen = runDelayMs();
}

/**
 * How late a stamp taken now by the event loop may be, in ms. Where the loop has slept since it was about to look, the bytes
 * came meanwhile: then for as long as it worked since, or the kernel let this thread wait for a processor (Linux; elsewhere
 * unknown). Where it has not, they may have waited since the look before, and all that was not sleep counts.
 */
export function stampLateness(now: number): number {
  const idle = performance.nodeTiming.idleTime;
  const slept = idle - newest.slept;
  if (slept < LEAST_SLEEP_MS) return Math.max(0, now - before.at - (idle - before.slept));
  return Math.max(0, now - newest.at - slept, runDelayMs() - runDelaySeen);
}
