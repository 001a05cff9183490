import { shownPath } from './data-folder.ts';
import { checkDatabaseUrl } from './database-url.ts';
import { findEmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';

/** A PostgreSQL to work with. `stop` ends it if it is ours, and leaves a foreign one alone. */
export type Database = {
  url: string;
  description: string;
  /** Rejects with a StartError when our own ends again and again; a foreign one is watched by whoever runs it. */
  failed?: Promise<never>;
  stop: () => Promise<void>;
};

/** The database of `DATABASE_URL`, else the embedded one of the data folder, which is started. */
export async function openDatabase(folder: string, log: (line: string) => void): Promise<Database> {
  const given = process.env.DATABASE_URL;
  if (given) return { ...(await checkDatabaseUrl(given)), stop: async () => {} };
  const { url, failed, stop, location } = await startEmbeddedPostgres({ dataDir: folder, log });
  const place = shownPath(location);
  return { url, description: `embedded, port ${new URL(url).port}, data in ${place}`, failed, stop };
}

/** Like openDatabase, for a command beside a running Roundtrip: its embedded server is used and left running. */
export async function borrowDatabase(folder: string, log: (line: string) => void): Promise<Database> {
  if (process.env.DATABASE_URL) return openDatabase(folder, log);
  const url = await findEmbeddedPostgres(folder);
  if (url) return { url, description: 'embedded', stop: async () => {} };
  return openDatabase(folder, log);
}
