import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { expect, it } from 'vitest';
import { CSV_COLUMNS } from '#server/results/csv.ts';
import { ParquetFile } from '#server/results/parquet.ts';
import { adviseResult, vantageAt } from '../../support/advised.ts';

const vantage = vantageAt('CN-SH');
const some = (count: number) => Array.from({ length: count }, () => adviseResult({ vantage }));

function fileOf(pieces: Uint8Array[]): ArrayBuffer {
  const whole = Buffer.concat(pieces);
  return whole.buffer.slice(whole.byteOffset, whole.byteOffset + whole.byteLength);
}

it('a Parquet file is handed out group by group, and holds every result with the columns of the CSV', async () => {
  const results = some(100);
  const failed = adviseResult({ vantage, ok: false });
  const file = new ParquetFile();
  const pieces = Array.from({ length: 120 }, () => file.add(results));
  pieces.push(file.add([{ ...failed, tls: null, http: null }]), file.end());
  // The first four bytes, two groups of 5,000 rows, and the end with the third.
  expect(pieces.filter(({ length }) => length > 0)).toHaveLength(4);
  const bytes = fileOf(pieces);
  const { num_rows, row_groups } = parquetMetadata(bytes);
  expect([num_rows, row_groups.length]).toEqual([12_001n, 3]);
  const rows = await parquetReadObjects({ file: bytes, rowStart: 11_999, rowEnd: 12_001 });
  expect(Object.keys(rows[0] ?? {})).toEqual(CSV_COLUMNS.map(({ name }) => name));
  expect(rows[0]).toMatchObject({
    id: results[99]?.id,
    startedAt: new Date(results[99]?.startedAt ?? ''),
    ok: true,
    'vantage.asn': null,
    'phases.tls': results[99]?.phases.tls,
    'tls.resumed': false,
    'network.family': 4,
  });
  expect(rows[1]).toMatchObject({ id: failed.id, ok: false, 'tls.version': null, 'http.status': null });
});

it('a Parquet file of nothing has its columns all the same', async () => {
  const bytes = fileOf([new ParquetFile().end()]);
  expect(parquetMetadata(bytes).schema).toHaveLength(CSV_COLUMNS.length + 1);
  expect(await parquetReadObjects({ file: bytes })).toEqual([]);
});
