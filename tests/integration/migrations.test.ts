import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getPool, getPrisma } from '#server/database.ts';
import { migrate, pendingMigrations } from '#server/migrate.ts';
import { NEWEST_MIGRATION } from '#server/schema-version.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

describe('migrations', () => {
  it('leave nothing pending on a migrated database, and running them again does nothing', async () => {
    expect(await pendingMigrations(database.url)).toEqual([]);
    expect(await migrate(database.url)).toEqual([]);
  });

  it('end with the one the code names as its newest', () => {
    const names = readdirSync('prisma/migrations').filter((name) => /^\d/.test(name));
    expect(names.sort().at(-1)).toBe(NEWEST_MIGRATION);
  });

  it('count as pending what the database has not finished', async () => {
    await getPool().query('update _prisma_migrations set finished_at = null where migration_name = $1', [
      NEWEST_MIGRATION,
    ]);
    expect(await pendingMigrations(database.url)).toEqual([NEWEST_MIGRATION]);
  });

  it('give Prisma its tables', async () => {
    expect(await getPrisma().target.count()).toBe(0);
  });
});
