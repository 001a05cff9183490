import type { CsvPlaces, Decoding } from '#server/results/column-types.ts';
import { FIELDS, type FieldOfResult, isSection, type ResultRow } from '#server/results/columns.ts';
import { decodingOf, isAbsent, namesOf } from '#server/results/decode.ts';
import type { Evidence } from '#server/results/evidence.ts';

// The lines of the CSV export, field by field and of whole rows, as plainly as they can be made: what server/results/csv.ts writes is
// held against it, byte by byte.

type Cells = Record<string, unknown>;

/** What these rows are as lines, in their order. */
export async function plainCsvLines(rows: ResultRow[]): Promise<string[]> {
  const names = await namesOf(rows, 'editor');
  return rows.map((row) => {
    const line: string[] = [];
    fill(line, FIELDS, row, decodingOf(row, names, row.evidence as Evidence | null));
    return line.join(',');
  });
}

function fill(line: string[], fields: Record<string, FieldOfResult>, row: Cells, from: Decoding, absent = false): void {
  for (const [key, field] of Object.entries(fields)) {
    const isGone =
      absent || (isSection(field) && field.presentBy !== undefined && isAbsent(field.presentBy, row, from));
    const csv: CsvPlaces = 'column' in field || 'elsewhere' in field ? (field.csv ?? {}) : {};
    const places = typeof csv === 'number' ? { '': csv } : csv;
    for (const [inside, place] of Object.entries(places)) {
      const own = isGone ? null : ownValue(key, field, row, from);
      line[place - 1] = fieldOf(inside === '' ? own : at(own, inside));
    }
    if (isSection(field)) fill(line, field.fields, row, from, isGone);
  }
}

function ownValue(key: string, field: FieldOfResult, row: Cells, from: Decoding): unknown {
  const value =
    'column' in field ? field.read(row[field.column], from) : 'elsewhere' in field ? field.elsewhere(from) : undefined;
  return key === 'variant' ? (value ?? 'main') : value;
}

const at = (whole: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as Cells | null | undefined)?.[key], whole);

function fieldOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = Array.isArray(value) ? value.join(' ') : value;
  if (typeof text !== 'string') return String(text);
  const safe = /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
