import { dataFolder, prepareDataFolder } from './data-folder.ts';
import { borrowDatabase } from './database.ts';

/** Like withDatabase, on a database as it is: nothing is migrated. */
export async function withDatabaseAsItIs<T>(work: (url: string) => Promise<T>): Promise<T> {
  const folder = dataFolder();
  if (!process.env.DATABASE_URL) prepareDataFolder(folder);
  const database = await borrowDatabase(folder, (line) => process.stderr.write(`${line}\n`));
  try {
    return await work(database.url);
  } finally {
    await database.stop();
  }
}
