import { describe, expect, it } from 'vitest';
import { closeDatabase, getPool, inTransaction } from '#server/database/database.ts';
import { dropOldPartitions, ensurePartitions, makePartitionsAhead } from '#server/database/partitions.ts';
import { drainRollups } from '#server/rollups/rollups.ts';
import { ON_CLUSTER } from '../support/citus/cluster.ts';
import { CLOCK_IS_SET_AHEAD, WEDNESDAY } from '../support/instants.ts';
import { insertProber, insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

prepareTestDatabase();

const DAY = 86_400_000;
const today = Math.floor(WEDNESDAY / DAY) * DAY;

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

async function insertedAt(instant: string) {
  const vantage = makeVantage('CN-GD', 'telecom');
  await insertProber([vantage]);
  return await insertResults([makeResult({ targetId: await insertTarget(), vantage, startedAt: Date.parse(instant) })]);
}

describe('partitions', () => {
  it('are made ahead, by day for results and by month for hours', async () => {
    await makePartitionsAhead(WEDNESDAY);
    expect(await partitionsOf('result')).toEqual([0, 1, 2, 3].map((day) => nameOf('result', today + day * DAY)));
    expect((await partitionsOf('rollup_hour')).every((name) => name.endsWith('01'))).toBe(true);
  });

  it('are dropped past their retention, the results with that of odd ones', async () => {
    await getPool().query(
      // On a cluster days are not sealed, and all results are kept as long as all others.
      `insert into setting (key, value, updated_at) values ('retention', '{"${ON_CLUSTER ? 'rawDays' : 'oddDays'}": 60}', now())`,
    );
    await ensurePartitions([today - 70 * DAY, today - 100 * DAY, today - 60 * DAY]);
    const dropped = await dropOldPartitions(today + 1_000);
    expect(dropped).toContain(nameOf('result', today - 70 * DAY));
    expect(dropped).toContain(nameOf('rollup_minute', today - 100 * DAY));
    expect(dropped).not.toContain(nameOf('rollup_minute', today - 70 * DAY));
    // The sixtieth day back is kept whole.
    expect(await partitionsOf('result')).toContain(nameOf('result', today - 60 * DAY));
    // Odd results are never kept for a shorter time than the others.
    await getPool().query(`update setting set value = '{"oddDays": 1, "rawDays": 60}' where key = 'retention'`);
    expect(await dropOldPartitions(today + 1_000)).toEqual([]);
    await getPool().query(`update setting set value = '{"rawDays": 30, "oddDays": 30}' where key = 'retention'`);
  });

  it.skipIf(CLOCK_IS_SET_AHEAD)(
    'leave the limits of their connection as they were, whether a reader is in the way or not',
    async () => {
      await closeDatabase();
      const limits = async () => {
        const asked = Array.from({ length: 4 }, () => getPool().query('show lock_timeout'));
        return new Set((await Promise.all(asked)).map(({ rows }) => rows[0].lock_timeout));
      };
      const usual = await limits();
      await ensurePartitions([today - 50 * DAY]);
      await inTransaction(async (reader) => {
        await reader.query(`select from ${nameOf('result', today - 50 * DAY)}`);
        await expect(dropOldPartitions(today)).rejects.toThrow('lock timeout');
        // It is on its way out: neither readers of the table nor ingest wait for it.
        await getPool().query('select from result limit 1');
        expect(await insertedAt(new Date(today).toISOString())).toEqual({ accepted: 1, duplicates: 0 });
      });
      expect(await limits()).toEqual(usual);
      expect(await dropOldPartitions(today)).toContain(nameOf('result', today - 50 * DAY));
      expect(await limits()).toEqual(usual);
    },
  );

  it('are detached one at a time: what an earlier run had begun is ended before an older one', async () => {
    const [begun, older] = [nameOf('result', today - 55 * DAY), nameOf('result', today - 65 * DAY)];
    await ensurePartitions([today - 55 * DAY], ['result']);
    await getPool().query(`update pg_inherits set inhdetachpending = true where inhrelid = '${begun}'::regclass`);
    await ensurePartitions([today - 65 * DAY], ['result']);
    expect(await dropOldPartitions(today)).toEqual([begun, older]);
    expect(await partitionsOf('result')).not.toContain(older);
  });

  it('are made of the tables that are asked for alone', async () => {
    await ensurePartitions([today - 90 * DAY], ['rollup_day']);
    expect(await partitionsOf('rollup_day')).toContain(nameOf('rollup_day', new Date(today - 90 * DAY).setUTCDate(1)));
    expect(await partitionsOf('result')).not.toContain(nameOf('result', today - 90 * DAY));
  });

  it('are made again by who has dropped them', async () => {
    const old = today - 95 * DAY;
    const name = nameOf('rollup_minute', old);
    await ensurePartitions([old], ['rollup_minute']);
    expect(await dropOldPartitions(today)).toContain(name);
    await ensurePartitions([old], ['rollup_minute']);
    expect(await partitionsOf('rollup_minute')).toContain(name);
  });

  it('are made once however many ask at once', async () => {
    await Promise.all(Array.from({ length: 8 }, () => ensurePartitions([today - 7 * DAY])));
    expect(await partitionsOf('result')).toContain(nameOf('result', today - 7 * DAY));
  });

  it('come back for a late result whose partition somebody has dropped', async () => {
    const startedAt = today - 7 * DAY + 5_000;
    await getPool().query(`drop table ${nameOf('result', startedAt)}`);
    expect(await insertedAt(new Date(startedAt).toISOString())).toEqual({ accepted: 1, duplicates: 0 });
  });

  it('come back for rollups that another process has dropped, at the next turn', async () => {
    const startedAt = today - 7 * DAY + 6_000;
    await drainRollups({ settled: true });
    await getPool().query(`drop table ${nameOf('rollup_minute', startedAt)}`);
    expect(await insertedAt(new Date(startedAt).toISOString())).toEqual({ accepted: 1, duplicates: 0 });
    await expect(drainRollups({ settled: true })).rejects.toThrow('no partition');
    await drainRollups({ settled: true });
    expect(await partitionsOf('rollup_minute')).toContain(nameOf('rollup_minute', startedAt));
  });

  it('are days and months by UTC, also where a month, a year or February ends', async () => {
    await ensurePartitions(['2026-11-30T23:59:59Z', '2026-12-31T23:59:59Z', '2027-01-01T00:00:00Z'].map(Date.parse));
    expect(await partitionsOf('result')).toEqual(
      expect.arrayContaining(['20261130', '20261231', '20270101'].map((day) => `result_p${day}`)),
    );
    expect(await partitionsOf('rollup_hour')).toEqual(
      expect.arrayContaining(['20261101', '20261201', '20270101'].map((day) => `rollup_hour_p${day}`)),
    );
    await dropOldPartitions(Date.parse('2028-02-28T23:59:59Z'));
    await makePartitionsAhead(Date.parse('2028-02-28T23:59:59Z'));
    expect(await partitionsOf('result')).toEqual(
      ['20280228', '20280229', '20280301', '20280302'].map((day) => `result_p${day}`),
    );
    expect(await insertedAt('2028-02-29T23:59:59.999Z')).toEqual({ accepted: 1, duplicates: 0 });
  });
});
