import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isCluster } from '#server/database/cluster.ts';
import { getPool } from '#server/database/database.ts';
import { distribute } from '#server/database/distribute.ts';
import { DISTRIBUTION } from '#server/database/distribution.ts';
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
    expect([...statementsRead().keys()].filter((text) => text.includes('rollup_dirty'))).not.toEqual([]);
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

describe('distributing', () => {
  it('does nothing where it is done, and nothing without the extension unless that is asked for', async () => {
    expect(await distribute(database.url)).toEqual([]);
    const isThere = await isCluster();
    const asked = distribute(database.url, { create: true });
    if (isThere) expect(await asked).toEqual([]);
    else await expect(asked).rejects.toThrow('this PostgreSQL has no Citus: install the extension on every node');
  });
});

describe('the schema', () => {
  it('is one that Citus can distribute, and every table has its place', async () => {
    expect(await schemaFaults(getPool())).toEqual([]);
  });

  it('is not, with a unique key without the target, a foreign key, a trigger or a table without a place', async () => {
    await getPool().query(`
      create table planted (id int primary key);
      create table rollup_planted (target_id uuid, step int unique, planted_id int references planted (id));
      create trigger planted_trigger before delete on rollup_planted for each row execute function suppress_redundant_updates_trigger();
    `);
    const placed = { ...DISTRIBUTION, rollup_planted: 'target', forgotten: 'everywhere' } as const;
    expect(await schemaFaults(getPool(), placed)).toEqual([
      'foreign key rollup_planted_planted_id_fkey of rollup_planted',
      'forgotten is in DISTRIBUTION and not there',
      'planted is not in DISTRIBUTION',
      'trigger planted_trigger of rollup_planted',
      'unique index rollup_planted_step_key without target_id',
    ]);
  });
});
