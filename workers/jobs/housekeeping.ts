import { setTimeout as sleep } from 'node:timers/promises';
import { Cron } from 'croner';
import { dropOldGuesses } from '#server/access/login-limit.ts';
import { dropOldSessions } from '#server/access/session.ts';
import { thinOldDays } from '#server/blocks/rare-results.ts';
import { dropOldComparisons } from '#server/comparisons/comparisons.ts';
import { lockConnection, releaseLock } from '#server/database/lock.ts';
import { dropOldPartitions, makePartitionsAhead } from '#server/database/partitions.ts';
import { log } from '#server/environment/log.ts';
import { dropOldAnswers } from '#server/http/idempotency.ts';
import { dropOldCounts } from '#server/http/rate-limit.ts';
import { dropOldDetections, dropOldIncidents } from '#server/incidents/expiry.ts';
import { dropOldMeasurements } from '#server/measurements/measurements.ts';
import { dropOldReports } from '#server/vantages/reports.ts';
import { dropOldDeliveries } from '#server/webhooks/deliveries.ts';

/** Minute and hour, UTC. */
const SCHEDULE = '17 * * * *';
/** So many tries an hour, and the pause between them: a database that is away for a moment must not cost an hour. */
const TRIES = 3;
const PAUSE_MS = 10_000;

/** Keeps the database tidy, now and once an hour. However many processes run, one of them does it at a time. */
export function startHousekeeping(signal: AbortSignal): { stop: () => Promise<void> } {
  let underWay = tidyHourly(signal);
  const cron = new Cron(SCHEDULE, { timezone: 'UTC', protect: true }, () => {
    underWay = tidyHourly(signal);
    return underWay;
  });
  return {
    async stop() {
      cron.stop();
      await underWay;
    },
  };
}

async function tidyHourly(signal: AbortSignal): Promise<void> {
  for (let left = TRIES - 1; !signal.aborted; left--) {
    try {
      return await tidyAlone();
    } catch (error) {
      log.error({ err: error, triesLeft: left }, 'the database cannot be tidied');
    }
    if (left === 0) return;
    await sleep(PAUSE_MS, undefined, { signal }).catch(() => {});
  }
}

/** Makes the partitions ahead, and tidies unless another process does. */
export async function tidyAlone(): Promise<void> {
  await makePartitionsAhead(Date.now());
  const connection = await lockConnection('housekeeping');
  if (connection === null) return;
  try {
    await tidy();
  } finally {
    await releaseLock(connection);
  }
}

/** Drops old partitions, thins days of results, and deletes old reports of probers, deliveries, incidents, detections, comparisons, measurements, answers, sessions and guesses. */
async function tidy(): Promise<void> {
  const dropped = await dropOldPartitions(Date.now());
  if (dropped.length > 0) log.info({ dropped }, 'dropped partitions past their retention');
  const thinned = await thinOldDays(Date.now());
  if (thinned.length > 0) log.info({ days: thinned.length }, 'deleted results past their retention, but for odd ones');
  const reports = await dropOldReports();
  if (reports > 0) log.debug({ reports }, 'deleted old reports of probers');
  const messages = await dropOldDeliveries();
  if (messages > 0) log.debug({ messages }, 'deleted old deliveries');
  const incidents = await dropOldIncidents();
  const detections = await dropOldDetections();
  if (incidents + detections > 0)
    log.info({ incidents, detections }, 'deleted incidents and detections past their retention');
  const comparisons = await dropOldComparisons();
  if (comparisons > 0) log.info({ comparisons }, 'deleted comparisons past their retention');
  const measurements = await dropOldMeasurements();
  if (measurements > 0) log.debug({ measurements }, 'deleted measurements past their retention');
  const answers = await dropOldAnswers();
  if (answers > 0) log.debug({ answers }, 'deleted answers of idempotency keys past their day');
  const sessions = await dropOldSessions();
  const guesses = await dropOldGuesses();
  await dropOldCounts();
  if (sessions + guesses > 0) log.debug({ sessions, guesses }, 'deleted sessions that are over and old guesses');
}
