import { dropOldGuesses } from '#server/access/login-limit.ts';
import { dropOldSessions } from '#server/access/session.ts';
import { maintainPartitions } from '#server/database/partitions.ts';
import { log } from '#server/environment/log.ts';
import { dropOldReports } from '#server/vantages/reports.ts';
import { dropOldDeliveries } from '#server/webhooks/retention.ts';
import { type KeptRunner, keepRunning } from './runner.ts';

/** Minute and hour of each task, UTC. However many processes run, a task is done by one of them. */
const CRONTAB = '17 * * * * maintain-partitions ?max=3&jobKey=maintain-partitions';

/** Starts the tasks of the hour: partitions ahead, and dropping those past their retention. */
export async function startHousekeeping(signal: AbortSignal): Promise<KeptRunner> {
  return await keepRunning('housekeeping', signal, {
    concurrency: 1,
    crontab: CRONTAB,
    taskList: { 'maintain-partitions': tidyPartitions },
  });
}

/** Makes the partitions ahead, drops the old, and deletes old reports of probers, deliveries, sessions and guesses. */
export async function tidyPartitions(): Promise<void> {
  const dropped = await maintainPartitions(Date.now());
  if (dropped.length > 0) log.info({ dropped }, 'dropped partitions past their retention');
  const reports = await dropOldReports();
  if (reports > 0) log.debug({ reports }, 'deleted old reports of probers');
  const messages = await dropOldDeliveries();
  if (messages > 0) log.debug({ messages }, 'deleted old deliveries');
  const sessions = await dropOldSessions();
  const guesses = await dropOldGuesses();
  if (sessions + guesses > 0) log.debug({ sessions, guesses }, 'deleted sessions that are over and old guesses');
}
