import { refreshSnapshots } from '#server/advice/snapshots.ts';
import { computeDue } from '#server/comparisons/compute.ts';
import { closeDatabase } from '#server/database/database.ts';
import { makePartitionsAhead } from '#server/database/partitions.ts';
import { log } from '#server/environment/log.ts';
import { refreshUsual } from '#server/figures/usual.ts';
import { beatHeart, HEARTBEAT_MS } from '#server/monitoring/health.ts';
import { drainRollups } from '#server/rollups/rollups.ts';
import { createDeliveries } from './deliveries.ts';
import { runDetection } from './detection.ts';
import { startHousekeeping } from './housekeeping.ts';
import { loop } from './loop.ts';
import { runRules } from './rules.ts';
import { runSealing } from './sealing.ts';

const PUMP_PAUSE_MS = 1_000;
const COMPARISONS_PAUSE_MS = 2_000;
const DELIVERIES_PAUSE_MS = 500;
/** Advice of one target takes a tenth of a second, and changes slowly. */
const ADVICE_PAUSE_MS = 10_000;
/** Usual levels of one target take a second, and are computed twice a day. */
const USUAL_PAUSE_MS = 15_000;
/** What comes late for a sealed day is gathered so long: each packing makes a block of it. */
const SEALING_PAUSE_MS = 1_800_000;
/** After this long something hangs; what is under way rolls back by itself. */
const LONGEST_STOP_MS = 10_000;

/**
 * The jobs: keeps rollups up to date, finds what got worse, tells of it, and keeps the database tidy. Any number may run: what
 * one knows, another can make again from the database. Resolves once all have ended after the signal; `onReady` is called when
 * they run. Ends the process (or the thread it runs in) with status 1 where they cannot start.
 */
export async function runJobs(signal: AbortSignal, onReady: () => void): Promise<void> {
  try {
    signal.addEventListener('abort', () => setTimeout(() => process.exit(1), LONGEST_STOP_MS).unref());
    await runLoops(signal, onReady);
  } catch (error) {
    log.fatal({ err: error }, 'the jobs cannot start');
    process.exit(1);
  }
}

async function runLoops(signal: AbortSignal, onReady: () => void): Promise<void> {
  await makePartitionsAhead(Date.now());
  const housekeeping = startHousekeeping(signal);
  const deliveries = createDeliveries(signal);
  await beatHeart();
  onReady();
  log.info('jobs are running');

  await Promise.all([
    loop('heartbeat', HEARTBEAT_MS, beatHeart, signal),
    loop('rollups', PUMP_PAUSE_MS, () => drainRollups({ signal }), signal),
    loop('deliveries', DELIVERIES_PAUSE_MS, deliveries.look, signal),
    loop('advice', ADVICE_PAUSE_MS, () => refreshSnapshots(signal), signal),
    loop('usual levels', USUAL_PAUSE_MS, () => refreshUsual(signal), signal),
    loop('comparisons', COMPARISONS_PAUSE_MS, () => computeDue(signal), signal),
    runDetection(signal),
    runRules(signal),
    loop('sealing', SEALING_PAUSE_MS, () => runSealing(signal), signal),
  ]);
  await deliveries.stop();
  await housekeeping.stop();
  await closeDatabase();
}
