import type { Prepared } from '#server/database/migrate.ts';
import type { LogFile } from '../log-file.ts';
import { StartError } from '../start-error.ts';
import { dataFolder, prepareDataFolder, shownPath } from './data-folder.ts';
import { checkDatabaseUrl } from './database-url.ts';
import { findEmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';

/** A PostgreSQL to work with. `stop` ends it if it is ours, and leaves a foreign one alone. */
export type Database = {
  url: string;
  description: string;
  /** Rejects with a StartError when our own ends again and again; a foreign one is watched by its operator. */
  failed?: Promise<never>;
  /** Of our own. */
  logFile?: LogFile;
  stop: () => Promise<void>;
};

/** The database of `DATABASE_URL`, else the embedded one of the data folder, which is started. */
export async function openDatabase(folder: string, log: (line: string) => void): Promise<Database> {
  const given = process.env.DATABASE_URL;
  if (given) return { ...(await checkDatabaseUrl(given)), stop: async () => {} };
  const { url, failed, stop, location, logFile } = await startEmbeddedPostgres({ dataDir: folder, log });
  const place = shownPath(location);
  return { url, description: `embedded, port ${new URL(url).port}, data in ${place}`, failed, logFile, stop };
}

/**
 * Runs a command's work on the migrated database: that of `DATABASE_URL`, else the data folder's, whose server is used
 * where it runs and started for the moment where it does not. Words about it go to standard error. `citus` makes a cluster of it.
 */
export async function withDatabase<T>(
  work: (done: Prepared) => Promise<T>,
  options: { citus?: boolean } = {},
): Promise<T> {
  return withDatabaseAsItIs(async (url) => {
    process.env.DATABASE_URL = url;
    const { prepareDatabase } = await import('#server/database/migrate.ts');
    const { closeDatabase } = await import('#server/database/database.ts');
    try {
      const done = await prepareDatabase(url, options).catch((error: Error) => {
        throw new StartError(`The database could not be migrated: ${error.message}`);
      });
      return await work(done);
    } finally {
      await closeDatabase();
    }
  });
}

/** Like withDatabase, on a database as it is: nothing is migrated. */
export async function withDatabaseAsItIs<T>(work: (url: string) => Promise<T>): Promise<T> {
  const folder = dataFolder();
  if (!process.env.DATABASE_URL) prepareDataFolder(folder);
  const running = process.env.DATABASE_URL ? null : await findEmbeddedPostgres(folder);
  if (running) return work(running);
  const database = await openDatabase(folder, (line) => process.stderr.write(`${line}\n`));
  try {
    return await work(database.url);
  } finally {
    await database.stop();
  }
}
