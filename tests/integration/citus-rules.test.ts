import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AdviceQuery } from '#contract/advice.ts';
import { MatrixQuery, ResultsQuery, SeriesQuery } from '#contract/query.ts';
import { queryAdvice } from '#server/advice/advice.ts';
import { computeDue } from '#server/comparisons/compute.ts';
import { isCluster } from '#server/database/cluster.ts';
import { getPool } from '#server/database/database.ts';
import { distribute } from '#server/database/distribute.ts';
import { DISTRIBUTION } from '#server/database/distribution.ts';
import { queryFailures } from '#server/figures/failures.ts';
import { queryMatrix } from '#server/figures/matrix.ts';
import { querySeries } from '#server/figures/series.ts';
import { queryStaples } from '#server/figures/staples.ts';
import { findingChanges } from '#server/incidents/finding-changes.ts';
import { sweepIncidents } from '#server/incidents/sweep.ts';
import { beatHeart } from '#server/monitoring/health.ts';
import { listResults } from '#server/results/results.ts';
import { streamResults } from '#server/results/stream.ts';
import { drainRollups } from '#server/rollups/rollups.ts';
import { dueWebhooks } from '#server/webhooks/lease.ts';
import { schemaFaults } from '../support/citus/schema.ts';
import { readStatement, statementsOf, statementsRead } from '../support/citus/statements.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { spansOf } from '../support/failure-spans.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { insertTarget } from '../support/places.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

// That every statement of the product is one that Citus takes is checked in each integration test file
// (tests/support/citus/statements.ts); here, that this would be noticed.

const MINUTE = 60_000;
const vantage = makeVantage('CN-GD', 'telecom');
let database: TestDatabase;
let target: string;
beforeAll(async () => {
  database = await testDatabase([vantage]);
  target = await insertTarget();
  const results = Array.from({ length: 90 }, (_, n) =>
    makeResult({ targetId: target, vantage, startedAt: WEDNESDAY - n * MINUTE }),
  );
  await insertResults([...results, makeResult({ targetId: await insertTarget(), vantage, startedAt: WEDNESDAY })]);
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

describe('shards', () => {
  const instant = (minutes: number) => new Date(WEDNESDAY + minutes * MINUTE).toISOString();
  const range = { from: instant(-85), to: instant(1) };
  const asked = async (work: () => Promise<unknown>) => {
    const statements = await statementsOf(work);
    const of = (asked: string) => statements.flatMap((each) => (each.shards === asked ? each.text : []));
    return { one: of('one').length, all: of('all') };
  };

  it.each<[string, (of: string) => Promise<unknown>]>([
    ['the matrix', (of) => queryMatrix(MatrixQuery.parse({ target: of, ...range }))],
    ['a series', (of) => querySeries(SeriesQuery.parse({ target: of, ...range, groupBy: 'carrier' }))],
    ['failures', (of) => queryFailures(of, range)],
    ['spans of failures', (of) => spansOf(of, range)],
    ['staples', (of) => queryStaples(of, range)],
    ['advice', (of) => queryAdvice(of, AdviceQuery.parse(range))],
    ['the list of results', (of) => listResults(ResultsQuery.parse({ target: of, limit: '20' }))],
    ['an export', async (of) => text(await streamResults(ResultsQuery.parse({ target: of }), 'csv'))],
    ['findings', (of) => findingChanges([{ targetId: of, vantageIds: [vantage.id], onsetAt: new Date(WEDNESDAY) }])],
  ])('of other targets are not asked for %s of one, before and after its rollups', async (_, read) => {
    const before = await asked(() => read(target));
    expect(before.all).toEqual([]);
    await drainRollups({ settled: true });
    const after = await asked(() => read(target));
    expect(after.all).toEqual([]);
    expect(before.one + after.one).toBeGreaterThan(0);
  });

  it('are asked at once for many results by their ids, of several targets', async () => {
    const { rows } = await getPool().query<{ id: string }>('select id from result order by started_at desc, id desc');
    const ids = rows.map(({ id }) => id);
    let found: string[] = [];
    const { one, all } = await asked(async () => {
      const { data } = await listResults(ResultsQuery.parse({ ids: ids.join(','), limit: '100' }));
      found = data.map(({ id }) => id);
    });
    expect(found).toEqual(ids);
    expect([one, new Set(all.filter((text) => text.includes('from result r'))).size]).toEqual([0, 1]);
  });

  it('are not asked while the jobs have nothing to do', async () => {
    await drainRollups({ settled: true });
    const idle = await asked(async () => {
      await drainRollups();
      await dueWebhooks(new Date());
      await computeDue();
      await beatHeart();
      await sweepIncidents(new Date());
    });
    expect(idle).toEqual({ one: 0, all: [] });
  });

  it('get a batch of many targets in one transaction', async () => {
    const targets = await Promise.all(Array.from({ length: 25 }, () => insertTarget()));
    const batch = targets.map((targetId) => makeResult({ targetId, vantage, startedAt: WEDNESDAY }));
    const statements = await statementsOf(() => insertResults(batch));
    expect(statements.filter((each) => each.text === 'commit')).toHaveLength(1);
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
