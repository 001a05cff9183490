import { setTimeout as pause } from 'node:timers/promises';
import { StartError } from './start-error.ts';

const POLL_MS = 40;
const PATIENCE_MS = 60_000;

/** Returns when the web process says that everything it needs is up; else a StartError with its last reason. */
export async function untilReady(url: string, signal: AbortSignal): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  let reason = 'it does not listen';
  while (performance.now() < giveUpAt) {
    signal.throwIfAborted();
    try {
      const response = await fetch(`${url}/api/ready`, {
        signal: AbortSignal.any([signal, AbortSignal.timeout(5_000)]),
      });
      if (response.ok) return;
      reason = (await response.text()).slice(0, 300);
    } catch {
      signal.throwIfAborted();
    }
    await pause(POLL_MS, undefined, { signal });
  }
  throw new StartError(`The dashboard at ${url} did not become ready within ${PATIENCE_MS / 1_000} s: ${reason}`);
}
