import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Well above ordinary processes, below what the system needs for itself (nice values run from -20 to 19). */
const MEASURING = -10;

/**
 * Asks for this process to run before the dashboard, the database and the browser that may share its machine: a prober
 * needs little time, but at once. Only root may; elsewhere it stays as it is, and `prober.loopDelayMs` shows the cost.
 */
export function raisePriority(): void {
  const tries = [
    () => setPriority(MEASURING),
    // Linux may share the processors out by session first (sched_autogroup); then the session's own value counts.
    () => process.platform === 'linux' && writeFileSync('/proc/self/autogroup', String(MEASURING)),
  ];
  for (const attempt of tries) {
    try {
      attempt();
    } catch {
      // Not allowed here, or no such thing.
    }
  }
}
