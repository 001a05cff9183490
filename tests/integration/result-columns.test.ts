import { describe, expect, it } from 'vitest';
import { METRIC_TABLE, METRICS } from '#contract/vocabulary.ts';
import { getPool } from '#server/database/database.ts';
import { COLUMNS } from '#server/results/columns.ts';
import { prepareTestDatabase } from '../support/prepare.ts';

prepareTestDatabase();

describe('the table of columns of a Result', () => {
  it('has the columns of `result` as the migrations make them, with their types', async () => {
    const { rows } = await getPool().query<{ column: string; type: string }>(
      `select column_name as column, udt_name as type from information_schema.columns
        where table_schema = 'public' and table_name = 'result'`,
    );
    const inOrder = (columns: readonly { column: string; type: string }[]) =>
      columns.map(({ column, type }) => `${column} ${type}`).sort();
    expect(inOrder(COLUMNS)).toEqual(inOrder(rows));
  });
});

describe('the table of metrics', () => {
  it.each(METRICS)('has for %s a column of `result`', async (metric) => {
    const { rowCount } = await getPool().query(
      `select from information_schema.columns where table_name = 'result' and column_name = $1`,
      [METRIC_TABLE[metric].column],
    );
    expect(rowCount).toBe(1);
  });
});
