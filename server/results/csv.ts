import type { Result } from '#contract/result.ts';
import { FIELDS, type FieldOfResult, isSection } from './columns.ts';

/** A column of the CSV export, named by its path in a Result; `place` counts from 1. */
type CsvColumn = { name: string; place: number; path: string[] };

function columnsIn(fields: Record<string, FieldOfResult>, holder: string[] = []): CsvColumn[] {
  return Object.entries(fields).flatMap(([key, field]) => {
    const path = [...holder, key];
    if (isSection(field)) return columnsIn(field.fields, path);
    const { csv = {} } = field;
    if (typeof csv === 'number') return { name: path.join('.'), place: csv, path };
    return Object.entries(csv).map(([inside, place]) => {
      const whole = [...path, ...inside.split('.')];
      return { name: whole.join('.'), place, path: whole };
    });
  });
}

/** The columns in their places. */
export const CSV_COLUMNS: readonly CsvColumn[] = columnsIn(FIELDS).sort((a, b) => a.place - b.place);

/** The header row, RFC 4180: CRLF at the end. */
export const CSV_HEADER = `${CSV_COLUMNS.map(({ name }) => name).join(',')}\r\n`;

/** One result as a row. Null is an empty field, a list stands with spaces in between. */
export function csvRow(result: Result): string {
  // A result that leaves its variant out is a main one.
  const whole = { ...result, variant: result.variant ?? 'main' };
  return `${CSV_COLUMNS.map(({ path }) => csvField(valueAt(whole, path))).join(',')}\r\n`;
}

function valueAt(whole: object, path: string[]): unknown {
  let value: unknown = whole;
  for (const key of path) value = (value as Record<string, unknown> | null | undefined)?.[key];
  return value;
}

function csvField(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = Array.isArray(value) ? value.join(' ') : value;
  if (typeof text !== 'string') return String(text);
  // A spreadsheet runs text that begins like a formula: a quote in front keeps it text. Servers choose such text.
  const safe = /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
