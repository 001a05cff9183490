import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/** How long to wait before try number `attempt` (from 1) in ms: doubling, and spread so that probers do not return as one. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  const step = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt - 1, 10));
  return step * (0.5 + random() / 2);
}

/** Waits; an aborted signal ends the wait early and quietly. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}
