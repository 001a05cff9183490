import type { Result } from '#contract/result.ts';
import { stringsOf } from '#server/database/dictionary.ts';
import { vantageLabels } from '#server/vantages/labels.ts';
import { certificatesOf } from './certificates.ts';
import type { Decoding, Names } from './column-types.ts';
import { COLUMNS, FIELDS, type FieldOfResult, isSection, type ResultRow } from './columns.ts';
import { Evidence } from './evidence.ts';

const NAMED = COLUMNS.flatMap(({ column, named }) => (named ? column : []));

/** So many rows are decoded in one go: some milliseconds, after which others get their turn. */
export const DECODED_AT_ONCE = 100;

/** Rows back to Results, as they were sent (durations to a microsecond). */
export async function decodeRows(rows: ResultRow[]): Promise<Result[]> {
  const cells: Cells[] = rows;
  const [strings, certificates, vantages] = await Promise.all([
    stringsOf(new Set(cells.flatMap((row) => NAMED.flatMap((column) => (row[column] as number | null) ?? [])))),
    certificatesOf(new Set(rows.flatMap((row) => row.certificate_id ?? []))),
    vantageLabels(),
  ]);
  return rows.map((row) => decodeRow(row, { strings, certificates, vantages }));
}

type Cells = Record<string, unknown>;

function decodeRow(row: ResultRow, names: Names): Result {
  const evidence = Evidence.parse(row.evidence ?? {});
  const known = row.certificate_id === null ? undefined : names.certificates.get(row.certificate_id);
  const from: Decoding = {
    names,
    evidence,
    certificate: known ? { ...known, ...evidence.certificate } : null,
    leavesOut: (bit) => (row.engine_version < 2 || row.given !== null) && ((row.given ?? 0) & bit) === 0,
  };
  // By its type, FIELDS has every field of a Result and what it holds.
  return partOf(FIELDS, { ...row, certificate_id: known ? row.certificate_id : null }, from) as Result;
}

function partOf(fields: Record<string, FieldOfResult>, row: Cells, from: Decoding): Cells {
  const part: Cells = {};
  for (const key in fields) {
    const value = contentOf(fields[key] as FieldOfResult, row, from);
    if (value !== undefined) part[key] = value;
  }
  return part;
}

function contentOf(field: FieldOfResult, row: Cells, from: Decoding): unknown {
  if ('column' in field) return field.read(row[field.column], from);
  if (!isSection(field)) return field.elsewhere(from);
  if (field.presentBy && row[field.presentBy] === null) return null;
  const part = partOf(field.fields, row, from);
  return field.parse ? field.parse.parse(part) : part;
}
