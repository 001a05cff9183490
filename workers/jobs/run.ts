import { refreshSnapshots } from '#server/advice/snapshots.ts';
import { sealDays } from '#server/blocks/seal.ts';
import { computeDue } from '#server/comparisons/compute.ts';
import { closeDatabase } from '#server/database/database.ts';
import { lockConnection, releaseLock } from '#server/database/lock.ts';
import { makePartitionsAhead } from '#server/database/partitions.ts';
import { log } from '#server/environment/log.ts';
import { refreshUsual } from '#server/figures/usual.ts';
import { sweepIncidents } from '#server/incidents/sweep.ts';
import { beatHeart, HEARTBEAT_MS } from '#server/monitoring/health.ts';
import { drainRollups } from '#server/rollups/rollups.ts';
import { evaluateFastRules, evaluateSlowRules } from '#server/rules/evaluate.ts';
import { createDeliveries } from './deliveries.ts';
import { runDetection } from './detection.ts';
import { startHousekeeping } from './housekeeping.ts';
import { loop } from './loop.ts';

const PUMP_PAUSE_MS = 1_000;
const COMPARISONS_PAUSE_MS = 2_000;
const DELIVERIES_PAUSE_MS = 500;
const RULES_PAUSE_MS = 30_000;
const SLOW_RULES_PAUSE_MS = 120_000;
/** What time alone brings to incidents. */
const SWEEP_PAUSE_MS = 3_000;
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
  const upSince = new Date();
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
    loop('rules', RULES_PAUSE_MS, () => evaluateFastRules(new Date(), upSince), signal),
    loop('slow rules', SLOW_RULES_PAUSE_MS, () => evaluateSlowRules(new Date()), signal),
    loop('incidents', SWEEP_PAUSE_MS, () => sweepIncidents(new Date()), signal),
    loop('sealing', SEALING_PAUSE_MS, () => sealAlone(signal), signal),
  ]);
  await deliveries.stop();
  await housekeeping.stop();
  await closeDatabase();
}

/** Seals days of results that are over. However many processes run, one of them does it at a time. */
async function sealAlone(signal: AbortSignal): Promise<void> {
  const connection = await lockConnection('sealer');
  if (connection === null) return;
  try {
    const packed = await sealDays(Date.now(), { signal });
    if (packed > 0) log.info({ results: packed }, 'sealed results of days that are over');
  } finally {
    await releaseLock(connection);
  }
}
