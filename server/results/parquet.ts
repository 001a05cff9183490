import { ByteWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer';
import { z } from 'zod';
import { Result } from '#contract/result.ts';
import { CSV_COLUMNS } from './csv.ts';

/** Rows that are written together, as a reader of the file reads them: they are held in memory until there are so many. */
const ROWS_A_GROUP = 5_000;

type Type = 'DOUBLE' | 'BOOLEAN' | 'TIMESTAMP' | 'STRING';

const COLUMNS = CSV_COLUMNS.map(({ name }) => {
  const path = name.split('.');
  return { name, path, type: typeAt(Result, path) };
});
const SCHEMA = schemaFromColumnData({ columnData: COLUMNS.map(({ name, type }) => ({ name, type, data: [] })) });

/**
 * A Parquet file of Results, with the columns of the CSV export. What is complete of it is handed out as it grows: held are the rows of a
 * group, and of each group written where its columns lie, which the end of the file says (some 10 bytes a row).
 */
export class ParquetFile {
  readonly #bytes = new ByteWriter();
  readonly #writer = new ParquetWriter({
    writer: this.#bytes,
    schema: SCHEMA,
    statistics: false,
    createdBy: 'roundtrip',
  });
  #cells: unknown[][] = COLUMNS.map(() => []);

  /** Adds results, and gives the bytes that are complete by then: none until a group is. */
  add(results: readonly Result[]): Uint8Array {
    for (const [index, { path, type }] of COLUMNS.entries())
      this.#cells[index]?.push(...results.map((result) => cellOf(result, path, type)));
    if ((this.#cells[0]?.length ?? 0) >= ROWS_A_GROUP) this.#writeGroup();
    return this.#taken();
  }

  /** Gives the rest of the file. */
  end(): Uint8Array {
    this.#writeGroup();
    this.#writer.finish();
    return this.#taken();
  }

  #writeGroup(): void {
    const columnData = COLUMNS.map(({ name, type }, index) => ({
      name,
      type,
      data: this.#cells[index] ?? [],
      offsetIndex: false,
    }));
    this.#writer.write({ columnData, rowGroupSize: 2 * ROWS_A_GROUP });
    this.#cells = COLUMNS.map(() => []);
  }

  #taken(): Uint8Array {
    const bytes = this.#bytes.getBytes().slice();
    this.#bytes.index = 0; // `offset` goes on: it says where in the file what follows lies
    return bytes;
  }
}

/** What the contract says of the field at a path. */
function typeAt(schema: z.ZodType, [key, ...rest]: readonly string[]): Type {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return typeAt(schema.unwrap() as z.ZodType, key === undefined ? [] : [key, ...rest]);
  if (key !== undefined) return typeAt((schema as z.ZodObject).shape[key] as z.ZodType, rest);
  if (schema instanceof z.ZodUnion) return typeAt(schema.options[0] as z.ZodType, []);
  if (schema instanceof z.ZodNumber || (schema instanceof z.ZodLiteral && typeof schema.value === 'number'))
    return 'DOUBLE';
  if (schema instanceof z.ZodBoolean) return 'BOOLEAN';
  return schema instanceof z.ZodISODateTime ? 'TIMESTAMP' : 'STRING';
}

function cellOf(result: Result, path: readonly string[], type: Type): unknown {
  let value: unknown = result;
  for (const key of path) value = (value as Record<string, unknown> | null | undefined)?.[key];
  if (value === undefined || value === null) return null;
  if (type === 'TIMESTAMP') return new Date(value as string);
  return Array.isArray(value) ? value.join(' ') : value;
}
