import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { ResultsQuery } from '#contract/query.ts';
import { closeDatabase, getPool } from '#server/database/database.ts';
import { replicaState } from '#server/database/replica.ts';
import { targetMetrics } from '#server/monitoring/monitoring.ts';
import { listResults } from '#server/results/results.ts';
import { streamResults } from '#server/results/stream.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { insertTarget } from '../support/places.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

// The «standby» holds other results than the database, so that it is seen which of them was asked.

const vantage = makeVantage('CN-GD', 'telecom');
let standby: TestDatabase;
let database: TestDatabase;
let targetId: string;
beforeAll(async () => {
  standby = await testDatabase([vantage]);
  database = await testDatabase([vantage]);
  targetId = await insertTarget();
  await insertResults([makeResult({ targetId, vantage, startedAt: Date.now() - 60_000 })]);
  const { rows } = await getPool().query('select to_json(target) as target from target where id = $1', [targetId]);
  const client = new pg.Client({ connectionString: standby.url });
  await client.connect();
  await client.query('insert into target select * from json_populate_record(null::target, $1)', [rows[0].target]);
  await client.end();
});
afterEach(async () => {
  await closeDatabase();
  delete process.env.DATABASE_REPLICA_URL;
});
afterAll(async () => {
  await database.drop();
  await standby.drop();
});

async function exported(): Promise<number> {
  let text = '';
  for await (const piece of await streamResults(ResultsQuery.parse({ target: targetId }), 'ndjson')) text += piece;
  return text.split('\n').filter(Boolean).length;
}
const listed = async () => (await listResults(ResultsQuery.parse({ target: targetId }))).data.length;

it('exports and lists read the database where there is no standby, and no lag is told', async () => {
  expect([await listed(), await exported()]).toEqual([1, 1]);
  expect(await replicaState()).toBeNull();
  expect(await targetMetrics()).not.toContain('roundtrip_replica');
});

it('exports read the standby where there is one, lists the database, and the metrics say how far it is behind', async () => {
  process.env.DATABASE_REPLICA_URL = standby.url;
  expect([await listed(), await exported()]).toEqual([1, 0]);
  expect(await replicaState()).toEqual({ lagSeconds: 0 });
  expect(await targetMetrics()).toMatch(/roundtrip_replica_up 1\n[\s\S]*roundtrip_replica_lag_seconds 0\n/);
});

it('lists go on while the standby is away, and the metrics say that it is', async () => {
  process.env.DATABASE_REPLICA_URL = 'postgresql://nobody@127.0.0.1:9/none';
  expect(await listed()).toBe(1);
  await expect(exported()).rejects.toThrow();
  expect(await replicaState()).toEqual({ lagSeconds: null });
  expect(await targetMetrics()).toContain('roundtrip_replica_up 0\n');
});
