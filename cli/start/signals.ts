import { readFileSync } from 'node:fs';

/** Ctrl-C arrives twice when npm runs us: from the terminal, and passed on by npm. Both within this time are one. */
const SAME_PRESS_MS = 500;

/** How often it is checked that who ran us is still there. */
const PARENT_CHECK_MS = 100;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Calls `stop` at the first signal that asks this process to end, and `force` at every later one. */
export function onStopSignal(stop: () => void, force: () => void): void {
  let firstAt: number | null = null;
  const onSignal = () => {
    if (firstAt === null) {
      firstAt = performance.now();
      stop();
    } else if (performance.now() - firstAt > SAME_PRESS_MS) {
      force();
    }
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  if (process.env.npm_lifecycle_event) onLostParent(onSignal);
}

/**
 * npm passes a signal on to a shell, which ends without telling us: losing it means being asked to stop. In CI the script
 * that ran npm counts as well: when it is gone, nothing else stops what it started.
 */
function onLostParent(lost: () => void): void {
  const parents = () => (process.env.CI ? `${process.ppid} ${parentOf(process.ppid)}` : `${process.ppid}`);
  const first = parents();
  const timer = setInterval(() => {
    if (parents() === first) return;
    clearInterval(timer);
    lost();
  }, PARENT_CHECK_MS);
  timer.unref();
}

/** The parent of another process, where /proc tells; its name, in parentheses, may hold anything. */
function parentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1] ?? '';
  } catch {
    return '';
  }
}
