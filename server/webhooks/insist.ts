import { setTimeout as sleep } from 'node:timers/promises';
import { LEASE_SECONDS } from './lease.ts';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;
/** Well before the lease ends and another process may take over. */
const LONGEST_MS = (LEASE_SECONDS * 1_000) / 2;

/**
 * Does `work` until it succeeds, for half a lease: an answer that has come must not be forgotten, and the message sent
 * again, because the database is away for a moment. Throws the last error.
 */
export async function insist<T>(work: () => Promise<T>): Promise<T> {
  const end = performance.now() + LONGEST_MS;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() + pause > end) throw error;
      await sleep(pause);
    }
  }
}
