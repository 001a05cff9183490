import type { Logger } from './logger.ts';
import type { MeasuringStats } from './measuring.ts';

const EVERY_MS = 60_000;
const TOLD = ['missed', 'unclean', 'leftOut'] as const;

/** Tells the log once a minute what this prober had no time for, when there is any such; the answer ends that. */
export function watchShortage(stats: () => MeasuringStats, logger: Logger, everyMs = EVERY_MS): () => void {
  let before = stats();
  const timer = setInterval(() => {
    const now = stats();
    const [missed = 0, unclean = 0, leftOut = 0] = TOLD.map((key) => now[key] - before[key]);
    before = now;
    if (missed + unclean + leftOut <= 0) return;
    const what = `${missed} runs were missed, ${unclean} results not clean, ${leftOut} probes after a first one left out`;
    logger.warn(`this prober is short of time: in the last minute ${what} (${now.checks} checks)`);
  }, everyMs);
  return () => clearInterval(timer);
}
