import { openSync, readSync } from 'node:fs';

const text = Buffer.alloc(64);
let schedstat: number | null | undefined;

/**
 * Milliseconds for which this thread was ready to run and the kernel let it wait for a processor, since it began (the
 * second number of its schedstat on Linux); 0 where that is unknown.
 */
export function runDelayMs(): number {
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
