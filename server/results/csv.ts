import { csvText } from '#contract/csv.ts';
import type { Viewer } from '#server/access/secret-settings.ts';
import type { Needs } from '#server/blocks/pack.ts';
import type { CsvForm, CsvPlaces, Decoding } from './column-types.ts';
import { COLUMNS, FIELDS, type FieldOfResult, isSection, type ResultRow } from './columns.ts';
import { decodingOf, isAbsent, namesOf, shownEvidence } from './decode.ts';
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

/** Begins a CSV file for Excel (`bom=true`). */
export const BOM = '\uFEFF';

/** The header row, RFC 4180: CRLF at the end. */
export const CSV_HEADER = `${CSV_COLUMNS.map(({ name }) => name).join(',')}\r\n`;

/** A field of the export: what reads it, the columns of `result` that its parts are there by, and its places in a line. */
type Source = {
  field: FieldOfResult;
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
    const own = key === 'variant' ? (row: Cells, from: Decoding) => read(row, from) ?? 'main' : read;
    return [...inner, { field, read: own, presentBy, cells }];
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

/** The columns of `result` that lines are made of, beside what keys a row. */
const READ = SOURCES.flatMap(({ field, presentBy }) => [...presentBy, ...('column' in field ? [field.column] : [])]);
const NAMED = COLUMNS.flatMap(({ column, named }) => (named && READ.includes(column) ? column : []));

/**
 * What an export needs of a row. Of evidence only what has one of these names: of most results it is not even parsed. They are those
 * that fields with a place here are read from, which a test holds against whole rows.
 */
export const CSV_NEEDS: Needs = {
  columns: [...new Set([...READ, 'certificate_id', 'engine_version', 'started_at'])],
  evidence: ['message', 'certificate', 'sent'],
};

/**
 * Results as lines for a viewer, straight from their rows: only what the export has is read. Null is an empty field, a list
 * stands with spaces in between.
 */
export async function csvRows(rows: ResultRow[], viewer: Viewer): Promise<string> {
  const names = await namesOf(rows, viewer, NAMED);
  const once: Once = SOURCES.map(() => new Map());
  let text = '';
  for (const row of rows) {
    const evidence = row.evidence === null ? null : shownEvidence(row.evidence as Evidence, viewer);
    text += csvRow(row, decodingOf(row, names, evidence), once);
  }
  return text;
}

/** The cells of fields that follow from one column, by what that holds: those of a hundred rows are made once. */
type Once = Map<unknown, readonly string[]>[];

/**
 * Compiled: what takes one line after the other apart field by field takes twice as long. Nothing but the table gets into the text.
 * What a part is there by is looked at once a line.
 */
function lineWriter(): (row: Cells, from: Decoding, once: Once) => string {
  const absent = new Map<string, string>();
  const statements: string[] = [];
  const cellsOf = new Array<string>(CSV_COLUMNS.length).fill("''");
  SOURCES.forEach(({ field, presentBy, cells }, index) => {
    for (const column of presentBy) {
      if (absent.has(column)) continue;
      absent.set(column, `absent${absent.size}`);
      statements.push(`const ${absent.get(column)} = isAbsent(${JSON.stringify(column)}, row, from);`);
    }
    const unless = presentBy.map((column) => `${absent.get(column)} || `).join('');
    const [first] = cells;
    const column = 'column' in field ? `row[${JSON.stringify(field.column)}]` : '';
    const form = 'column' in field ? field.form : undefined;
    if (form !== undefined && form !== 'once' && first && cells.length === 1) {
      statements.push(`const cell${index} = ${column};`);
      cellsOf[first.index] =
        `(${unless}cell${index} === null || cell${index} === undefined ? '' : ${FORMS[form](`cell${index}`)})`;
    } else if (cells.length === 1 && first && form === undefined) {
      statements.push(
        `const value${index} = ${unless === '' ? '' : `${unless.slice(0, -4)} ? null : `}sources[${index}].read(row, from);`,
      );
      cellsOf[first.index] = `csvField(valueAt(value${index}, sources[${index}].cells[0].inside))`;
    } else {
      const whole = `csvFields(sources[${index}], row, from)`;
      const made = form === 'once' ? `onceOf(once[${index}], ${column}, () => ${whole})` : whole;
      statements.push(`const cells${index} = ${unless === '' ? '' : `${unless.slice(0, -4)} ? NONE : `}${made};`);
      cells.forEach((cell, nth) => {
        cellsOf[cell.index] = `cells${index}[${nth}]`;
      });
    }
  });
  const body = `${statements.join('\n')}\nreturn ${cellsOf.join(" + ',' + ")} + '\\r\\n';`;
  const given = { sources: SOURCES, isAbsent, csvField, csvFields, valueAt, millis, onceOf, NONE };
  return new Function(
    ...Object.keys(given),
    `return (row, from, once) => { const { strings } = from.names; ${body} };`,
  )(...Object.values(given));
}

/** How a cell that is there stands in a line. Numbers, booleans, ids and instants hold nothing that has to be quoted. */
const FORMS: Record<Exclude<CsvForm, 'once'>, (cell: string) => string> = {
  plain: (cell) => `(${cell} + '')`,
  micros: (cell) => `millis(${cell})`,
  instant: (cell) => `${cell}.toISOString()`,
  text: (cell) => `csvField(strings.get(${cell}))`,
};

/** A part that is not there has no cells. */
const NONE: readonly string[] = new Array<string>(Math.max(...SOURCES.map(({ cells }) => cells.length))).fill('');

function csvFields({ read, cells }: Source, row: Cells, from: Decoding): readonly string[] {
  const whole = read(row, from);
  return cells.map(({ inside }) => csvField(valueAt(whole, inside)));
}

function onceOf(
  known: Map<unknown, readonly string[]>,
  cell: unknown,
  make: () => readonly string[],
): readonly string[] {
  const cells = known.get(cell) ?? make();
  known.set(cell, cells);
  return cells;
}

/** `.5` for 500: what stands behind whole milliseconds. */
const FRACTIONS = Array.from({ length: 1_000 }, (_, micros) => String(micros / 1_000).slice(1));

/** Whole microseconds as milliseconds: as `String(micros / 1000)`, which takes several times as long. */
function millis(micros: number): string {
  return micros < 0 ? String(micros / 1_000) : Math.trunc(micros / 1_000) + (FRACTIONS[micros % 1_000] as string);
}

function valueAt(whole: unknown, path: readonly string[]): unknown {
  let value = whole;
  for (const key of path) value = (value as Cells | null | undefined)?.[key];
  return value;
}

function csvField(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = Array.isArray(value) ? value.join(' ') : value;
  return typeof text === 'string' ? csvText(text) : String(text);
}

const csvRow = lineWriter();
