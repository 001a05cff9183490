import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getPool } from '#server/database.ts';
import { ensurePartitions, maintainPartitions } from '#server/partitions.ts';
import { insertResults } from '#server/results/insert.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { insertProber, insertTarget } from '../support/places.ts';
import { makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const DAY = 86_400_000;
const today = Math.floor(Date.now() / DAY) * DAY;

async function partitionsOf(table: string): Promise<string[]> {
  const { rows } = await getPool().query<{ name: string }>(
    `select relname as name from pg_inherits join pg_class on oid = inhrelid
      where inhparent = to_regclass($1) order by relname`,
    [table],
  );
  return rows.map((row) => row.name);
}

function nameOf(table: string, instant: number): string {
  return `${table}_p${new Date(instant).toISOString().slice(0, 10).replaceAll('-', '')}`;
}

describe('partitions', () => {
  it('are made ahead, by day for results and by month for hours', async () => {
    await maintainPartitions(Date.now());
    expect(await partitionsOf('result')).toEqual([0, 1, 2, 3].map((day) => nameOf('result', today + day * DAY)));
    expect((await partitionsOf('rollup_hour')).every((name) => name.endsWith('01'))).toBe(true);
  });

  it('are dropped past their retention, the raw results first', async () => {
    await ensurePartitions([today - 40 * DAY, today - 100 * DAY, today - 30 * DAY]);
    const dropped = await maintainPartitions(today + 1_000);
    expect(dropped).toContain(nameOf('result', today - 40 * DAY));
    expect(dropped).toContain(nameOf('rollup_minute', today - 100 * DAY));
    expect(dropped).not.toContain(nameOf('rollup_minute', today - 40 * DAY));
    // The thirtieth day back is kept whole.
    expect(await partitionsOf('result')).toContain(nameOf('result', today - 30 * DAY));
  });

  it('are made once however many ask at once', async () => {
    await Promise.all(Array.from({ length: 8 }, () => ensurePartitions([today - 7 * DAY])));
    expect(await partitionsOf('result')).toContain(nameOf('result', today - 7 * DAY));
  });

  it('come back for a late result whose partition somebody has dropped', async () => {
    const vantage = makeVantage('CN-GD', 'telecom');
    await insertProber([vantage]);
    const targetId = await insertTarget();
    const startedAt = today - 7 * DAY + 5_000;
    await getPool().query(`drop table ${nameOf('result', startedAt)}`);
    const counts = await insertResults([makeResult({ targetId, vantage, startedAt })]);
    expect(counts).toEqual({ accepted: 1, duplicates: 0 });
  });
});
