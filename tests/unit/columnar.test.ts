import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cell, type ColumnIn, type Near, TableReader, writeTable } from '#analysis/columnar.ts';

const nullable = <T extends Cell>(cell: fc.Arbitrary<T>) => fc.option(cell, { freq: 4 });
const whole = fc.oneof(
  fc.integer({ min: -1_000, max: 1_000 }),
  fc.integer({ min: 0, max: 2_147_483_647 }),
  fc.maxSafeInteger(),
);
const float = fc.oneof(
  fc.double({ noNaN: true }),
  fc.integer({ min: -1_000_000, max: 1_000_000 }).map((thousandths) => thousandths / 1_000),
  // Of which the difference of two is no exact number of thousandths.
  fc.integer({ min: -3_155_760_000_000, max: 3_155_760_000_000 }),
);
const text = fc.oneof(
  fc.string({ unit: 'binary' }).filter((value) => value.isWellFormed()),
  fc.constantFrom('a', 'b', ''),
);

/** Columns of one length, of which some are close to others. */
const tables = fc.integer({ min: 0, max: 40 }).chain((rows) => {
  const of = (cell: fc.Arbitrary<Cell>) =>
    fc.oneof(
      { weight: 4, arbitrary: fc.array(nullable(cell), { minLength: rows, maxLength: rows }) },
      { weight: 1, arbitrary: fc.array(cell, { minLength: rows, maxLength: rows }) },
      { weight: 1, arbitrary: nullable(cell).map((same) => new Array<Cell>(rows).fill(same)) },
    );
  const column = (name: string, kind: ColumnIn['kind'], cell: fc.Arbitrary<Cell>, near?: Near) =>
    of(cell).map((cells): ColumnIn => ({ name, kind, cells, near }));
  return fc.tuple(
    fc.constant(rows),
    fc.tuple(
      column('a', 'int', whole),
      column('b', 'int', whole),
      column('sum', 'int', whole, { sum: ['a', 'b', 'not there'] }),
      column('quotient', 'float', float, { quotient: ['a', 'b'] }),
      column('float', 'float', float),
      column('words', 'text', text),
    ),
  );
});

describe('a table', () => {
  it('tells -0 from 0', () => {
    const table = new TableReader(writeTable(3, [{ name: 'ratio', kind: 'float', cells: [-0, null, 0] }]));
    expect(table.cells('ratio').map((cell) => Object.is(cell, -0))).toEqual([true, false, false]);
  });

  it('gives every cell of every column back, whatever the cells are', () => {
    fc.assert(
      fc.property(tables, ([rows, columns]) => {
        const table = new TableReader(writeTable(rows, columns));
        expect(table.rows).toBe(rows);
        expect(table.names).toEqual(columns.map(({ name }) => name));
        const single = new TableReader(writeTable(rows, columns));
        const wrong: unknown[] = [];
        for (const { name, cells } of columns) {
          for (let row = rows - 1; row >= 0; row--)
            if (!Object.is(single.cellAt(name, row), cells[row])) wrong.push([name, row, 'by itself']);
          const read = table.cells(name);
          if (read.length !== rows) wrong.push([name, read.length]);
          cells.forEach((cell, row) => {
            if (!Object.is(read[row], cell)) wrong.push([name, row, read[row]]);
          });
        }
        expect(wrong).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('has nothing of a column that it was not written with', () => {
    const table = new TableReader(writeTable(2, [{ name: 'a', kind: 'int', cells: [1, 2] }]));
    expect(table.cells('newer')).toEqual([null, null]);
  });

  it('writes what is constant once, and what follows from others hardly at all', () => {
    const a = Array.from({ length: 1_000 }, (_, row) => (row * 7_919) % 100_003);
    const b = Array.from({ length: 1_000 }, (_, row) => (row * 104_729) % 90_001);
    const constant = writeTable(1_000, [{ name: 'c', kind: 'int', cells: a.map(() => 443) }]);
    expect(constant.length).toBeLessThan(20);
    const columns: ColumnIn[] = [
      { name: 'a', kind: 'int', cells: a },
      { name: 'b', kind: 'int', cells: b },
    ];
    const sum: ColumnIn = { name: 'sum', kind: 'int', cells: a.map((value, row) => value + (b[row] ?? 0)) };
    const apart = writeTable(1_000, [...columns, sum]).length;
    const close = writeTable(1_000, [...columns, { ...sum, near: { sum: ['a', 'b'] } }]).length;
    expect(apart - close).toBeGreaterThan(2_900);
  });

  it.each<[string, ColumnIn]>([
    ['a fraction where numbers are whole', { name: 'a', kind: 'int', cells: [0.5, 1] }],
    ['a number beyond what is exact', { name: 'a', kind: 'int', cells: [2 ** 53, 1] }],
    ['a text among numbers', { name: 'a', kind: 'int', cells: ['1', 2] }],
    ['a cell too many', { name: 'a', kind: 'int', cells: [1, 2, 3] }],
  ])('refuses %s, and names the column', (_, column) => {
    expect(() => writeTable(2, [column])).toThrow(/column a /);
  });

  it('refuses bytes that are cut short', () => {
    const bytes = writeTable(3, [{ name: 'a', kind: 'int', cells: [1, 500, 70_000] }]);
    expect(() => new TableReader(bytes.subarray(0, bytes.length - 1)).cells('a')).toThrow(RangeError);
  });
});
