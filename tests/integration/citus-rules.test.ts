import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getPool } from '#server/database/database.ts';
import { drainRollups } from '#server/rollups/rollups.ts';
import { schemaFaults } from '../support/citus/schema.ts';
import { readStatement, statementsRead } from '../support/citus/statements.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';

// That every statement of the product is one that Citus takes is checked in each integration test file
// (tests/support/citus/statements.ts); here, that this would be noticed.

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => await database.drop());

describe('statements', () => {
  it('of the product are read as they are sent', async () => {
    await drainRollups();
    expect([...statementsRead()].filter((text) => text.includes('rollup_dirty'))).not.toEqual([]);
  });

  it('that Citus refuses are named with the reason', () => {
    const planted =
      'select r.* from target t cross join lateral (select * from result where target_id = t.id limit 1) r';
    expect(readStatement(planted, 'Error\n at planted (/roundtrip/server/results/planted.ts:1:1)')).toEqual([
      'LIMIT in a lateral subquery that hangs on t',
    ]);
  });

  it('of a test are its own affair', () => {
    const own = 'select r.* from target t cross join lateral (select * from result where target_id = t.id limit 2) r';
    const stack =
      'Error\n at own (/roundtrip/tests/integration/own.test.ts:1:1)\n at f (/roundtrip/server/database/database.ts)';
    expect(readStatement(own, stack)).toEqual([]);
  });
});

describe('the schema', () => {
  it('is one that Citus can distribute, and every table has its place', async () => {
    expect(await schemaFaults(getPool())).toEqual([]);
  });

  it('is not, with a unique key without the target, a foreign key, a trigger or a table without a place', async () => {
    await getPool().query(`
      create table planted (id int primary key);
      alter table rollup_dirty add column planted_id int references planted (id);
      create unique index planted_key on rollup_dirty (step, planted_id);
      create trigger planted_trigger before delete on rollup_dirty for each row execute function suppress_redundant_updates_trigger();
    `);
    expect(await schemaFaults(getPool())).toEqual([
      'foreign key rollup_dirty_planted_id_fkey of rollup_dirty',
      'planted is not in DISTRIBUTION',
      'trigger planted_trigger of rollup_dirty',
      'unique index planted_key without target_id',
    ]);
  });
});
