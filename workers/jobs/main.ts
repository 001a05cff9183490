import { closeDatabase } from '#server/database/database.ts';
import { log } from '#server/environment/log.ts';
import { beatHeart, HEARTBEAT_MS } from '#server/monitoring/health.ts';
import { drainRollups } from '#server/rollups/rollups.ts';
import { createDeliveries } from './deliveries.ts';
import { runDetection } from './detection.ts';
import { startHousekeeping, tidyAlone } from './housekeeping.ts';
import { loop } from './loop.ts';
import { runRules } from './rules.ts';

// The jobs process: keeps rollups up to date, finds what got worse, tells of it, and keeps the database tidy. Any number
// may run: what one knows, another can make again from the database. Ends cleanly on SIGTERM, SIGINT, and when the process
// that started it is gone.

const PUMP_PAUSE_MS = 1_000;
const DELIVERIES_PAUSE_MS = 500;
/** After this long something hangs; what is under way rolls back by itself. */
const LONGEST_STOP_MS = 10_000;

async function main(): Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  for (const event of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.once(event, () => stopping.abort());
  signal.addEventListener('abort', () => setTimeout(() => process.exit(1), LONGEST_STOP_MS).unref());

  await tidyAlone();
  const housekeeping = startHousekeeping(signal);
  const deliveries = createDeliveries(signal);
  await beatHeart();
  process.send?.({ ready: true });
  log.info('jobs are running');

  await Promise.all([
    loop('heartbeat', HEARTBEAT_MS, beatHeart, signal),
    loop('rollups', PUMP_PAUSE_MS, () => drainRollups({ signal }), signal),
    loop('deliveries', DELIVERIES_PAUSE_MS, deliveries.look, signal),
    runDetection(signal),
    runRules(signal),
  ]);
  await deliveries.stop();
  await housekeeping.stop();
  await closeDatabase();
  if (process.connected) process.disconnect();
}

try {
  await main();
} catch (error) {
  log.fatal({ err: error }, 'the jobs cannot start');
  process.exit(1);
}
