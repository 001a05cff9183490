import type { CsvPlaces, Decoding } from './column-types.ts';
import { FIELDS, type FieldOfResult, isSection, type ResultRow } from './columns.ts';
import { decodingOf, isAbsent, namesOf } from './decode.ts';
import type { Evidence } from './evidence.ts';

/** A column of the CSV export, named by its path in a Result; `place` counts from 1. */
type CsvColumn = { name: string; place: number };

function columnsIn(fields: Record<string, FieldOfResult>, holder: string[] = []): CsvColumn[] {
  return Object.entries(fields).flatMap(([key, field]) => {
    const path = [...holder, key];
    const inner = isSection(field) ? columnsIn(field.fields, path) : [];
    const csv = ownPlaces(field);
    if (typeof csv === 'number') return [...inner, { name: path.join('.'), place: csv }];
    return [...inner, ...Object.entries(csv).map(([inside, place]) => ({ name: [...path, inside].join('.'), place }))];
  });
}

/** The columns in their places. */
export const CSV_COLUMNS: readonly CsvColumn[] = columnsIn(FIELDS).sort((a, b) => a.place - b.place);

/** The header row, RFC 4180: CRLF at the end. */
export const CSV_HEADER = `${CSV_COLUMNS.map(({ name }) => name).join(',')}\r\n`;

/** A field of the export: what reads it, the columns of `result` that its parts are there by, and its places in a line. */
type Source = {
  read: (row: Cells, from: Decoding) => unknown;
  presentBy: readonly string[];
  cells: readonly { index: number; inside: readonly string[] }[];
};
type Cells = Record<string, unknown>;

function sourcesIn(fields: Record<string, FieldOfResult>, presentBy: readonly string[] = []): Source[] {
  return Object.entries(fields).flatMap(([key, field]): Source[] => {
    const within = isSection(field) && field.presentBy ? [...presentBy, field.presentBy] : presentBy;
    const inner = isSection(field) ? sourcesIn(field.fields, within) : [];
    const csv = ownPlaces(field);
    const places = typeof csv === 'number' ? { '': csv } : csv;
    const cells = Object.entries(places).map(([inside, place]) => ({
      index: place - 1,
      inside: inside === '' ? [] : inside.split('.'),
    }));
    if (cells.length === 0) return inner;
    const read: Source['read'] = (row, from) => ownValue(field, row, from);
    // A result that leaves its variant out is a main one.
    return [...inner, { read: key === 'variant' ? (row, from) => read(row, from) ?? 'main' : read, presentBy, cells }];
  });
}

const SOURCES = sourcesIn(FIELDS);

/** The places of what a field holds itself, beside the columns of its parts. */
function ownPlaces(field: FieldOfResult): CsvPlaces {
  return 'column' in field || 'elsewhere' in field ? (field.csv ?? {}) : {};
}

function ownValue(field: FieldOfResult, row: Cells, from: Decoding): unknown {
  if ('column' in field) return field.read(row[field.column], from);
  return 'elsewhere' in field ? field.elsewhere(from) : undefined;
}

/**
 * Results as lines, straight from their rows: no more of them is read than the export has. Null is an empty field, a list
 * stands with spaces in between.
 */
export async function csvRows(rows: ResultRow[]): Promise<string> {
  const names = await namesOf(rows);
  return rows.map((row) => csvRow(row, decodingOf(row, names, row.evidence as Evidence | null))).join('');
}

function csvRow(row: Cells, from: Decoding): string {
  const line = new Array<string>(CSV_COLUMNS.length).fill('');
  for (const { read, presentBy, cells } of SOURCES) {
    if (presentBy.some((column) => isAbsent(column, row, from))) continue;
    const whole = read(row, from);
    for (const { index, inside } of cells) line[index] = csvField(valueAt(whole, inside));
  }
  return `${line.join(',')}\r\n`;
}

function valueAt(whole: unknown, path: readonly string[]): unknown {
  let value = whole;
  for (const key of path) value = (value as Cells | null | undefined)?.[key];
  return value;
}

/** What is not written as it stands: most texts are. */
const SPECIAL = /^[=+\-@\t]|[",\r\n]/;

function csvField(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = Array.isArray(value) ? value.join(' ') : value;
  if (typeof text !== 'string') return String(text);
  if (!SPECIAL.test(text)) return text;
  // A spreadsheet runs text that begins like a formula: a quote in front keeps it text. Servers choose such text.
  const safe = /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
