import type { Prepared } from '#server/database/migrate.ts';
import { prepareClient } from '../prepare.ts';
import { StartError } from '../start-error.ts';
import { dataFolder, prepareDataFolder } from './data-folder.ts';
import { borrowDatabase } from './database.ts';

/**
 * Runs a command's work on the migrated database: that of `DATABASE_URL`, else the data folder's, whose server is used
 * where it runs and started for the moment where it does not. Words about it go to standard error. `citus` makes a cluster of it.
 */
export async function withDatabase<T>(
  work: (done: Prepared) => Promise<T>,
  options: { citus?: boolean } = {},
): Promise<T> {
  const folder = dataFolder();
  if (!process.env.DATABASE_URL) prepareDataFolder(folder);
  await prepareClient(() => {});
  const database = await borrowDatabase(folder, (line) => process.stderr.write(`${line}\n`));
  try {
    process.env.DATABASE_URL = database.url;
    const { prepareDatabase } = await import('#server/database/migrate.ts');
    const done = await prepareDatabase(database.url, options).catch((error: Error) => {
      throw new StartError(`The database could not be migrated: ${error.message}`);
    });
    return await work(done);
  } finally {
    const { closeDatabase } = await import('#server/database/database.ts');
    await closeDatabase();
    await database.stop();
  }
}
