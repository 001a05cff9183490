import { closeDatabase } from '#server/database/database.ts';
import { startTemplate } from '../support/postgres.ts';

/** Runs `work` on a fresh, migrated PostgreSQL (or on `TEST_DATABASE_URL`'s server) with `DATABASE_URL` pointing at it. */
export async function onFreshDatabase(work: () => Promise<void>): Promise<void> {
  const template = await startTemplate();
  process.env.DATABASE_URL = template.url;
  try {
    await work();
  } finally {
    await closeDatabase();
    await template.stop();
  }
}
