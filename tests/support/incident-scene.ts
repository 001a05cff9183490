import { afterAll, beforeAll, beforeEach } from 'vitest';
import { getPool } from '#server/database/database.ts';
import { type TestDatabase, testDatabase } from './database.ts';
import { insertWebhook } from './detecting.ts';
import { insertTarget } from './places.ts';
import type { makeVantage } from './vantages.ts';

type Scene = {
  vantages: ReturnType<typeof makeVantage>[];
  /** Told of the new target, before each test. */
  begin: (targetId: string) => unknown;
  /** Whether a webhook wants everything. */
  webhook?: boolean;
  /** Tables to be emptied besides. */
  also?: string[];
};

/** For a file about incidents: a database with these vantages, and before each test no incident of the one before and a new target. */
export function incidentScene({ vantages, begin, webhook = true, also = [] }: Scene): void {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase(vantages);
    if (webhook) await insertWebhook();
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    const tables = ['incident', 'incident_event', 'detection', 'delivery', ...also];
    await getPool().query(`truncate ${tables.join(', ')} cascade`);
    await begin(await insertTarget());
  });
}
