import type { Command } from 'commander';
import { parseEnvironment } from '#server/environment/environment.ts';
import { checkDatabaseUrl, requiredDatabaseUrl } from './database/database-url.ts';
import { StartError } from './start-error.ts';

/** `roundtrip jobs`: the housekeeping beside the database alone, for a container or a service manager. */
export function jobsCommand(program: Command): void {
  program
    .command('jobs')
    .description(
      'run only the jobs (rollups, detection, rules, deliveries, retention); requires DATABASE_URL and ROUNDTRIP_SECRET',
    )
    .action(async () => {
      Object.assign(process.env, { NODE_ENV: 'production' });
      const { url } = await checkDatabaseUrl(requiredDatabaseUrl(parseEnvironment(process.env)));
      const { pendingMigrations } = await import('#server/database/migrate.ts');
      const pending = await pendingMigrations(url).catch((error: Error) => {
        throw new StartError(`The database cannot be used: ${error.message}.`);
      });
      if (pending.length > 0) {
        throw new StartError(`The database lacks ${pending.join(', ')}: run \`roundtrip setup\` first.`);
      }
      await refuseWrongSecret();
      await import('#workers/jobs/main.ts');
    });
}

/**
 * Without the secret the jobs would run and send no message. One that opens a part of what is stored may start: the rest was encrypted
 * with a secret that is lost, and is entered again while all runs.
 */
async function refuseWrongSecret(): Promise<void> {
  const { findSealProblem } = await import('#server/access/sealed-rows.ts');
  const problem = await findSealProblem();
  if (problem === null || problem.kind === 'partly') return;
  const { closeDatabase } = await import('#server/database/database.ts');
  await closeDatabase();
  throw new StartError(`${problem.reason}.`);
}
