import pg from 'pg';
import { closeDatabase } from '#server/database/database.ts';
import { startTemplate } from '../support/postgres.ts';

/** What decides how far a figure holds: a server that does not wait for its disk stores results at a fraction of the cost. */
const DURABILITY = ['fsync', 'full_page_writes', 'synchronous_commit', 'wal_compression'] as const;

/**
 * Runs `work` on a fresh, migrated PostgreSQL as `npm start` runs it (or on `TEST_DATABASE_URL`'s server) with `DATABASE_URL`
 * pointing at it. Prints the server's version and durability above the figures.
 */
export async function onFreshDatabase(work: () => Promise<void>): Promise<void> {
  const template = await startTemplate('shipped');
  process.env.DATABASE_URL = template.url;
  try {
    process.stdout.write(`${await serverLine(template.url)}\n`);
    await work();
  } finally {
    await closeDatabase();
    await template.stop();
  }
}

async function serverLine(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const columns = ['server_version', ...DURABILITY].map((name) => `current_setting('${name}') as ${name}`);
    const { rows } = await client.query(`select ${columns.join(', ')}`);
    return `PostgreSQL ${rows[0].server_version}: ${DURABILITY.map((name) => `${name} ${rows[0][name]}`).join(', ')}`;
  } finally {
    await client.end();
  }
}
