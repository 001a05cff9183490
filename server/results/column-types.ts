import type { z } from 'zod';
import type { Certificate } from '#contract/certificate.ts';
import type { RoundTrips, VantageRef } from '#contract/result.ts';
import { type VantageLabels, vantageRef } from '#server/vantages/labels.ts';
import type { CertificateIdentity, KnownCertificate } from './certificates.ts';
import type { CopyWriter } from './copy-writer.ts';
import type { Encoding, Evidence } from './evidence.ts';

// The kinds of column that `result` is made of: how a value of a Result is written, and how it is read back.

/** What a row names by id. */
export type Names = {
  strings: ReadonlyMap<number, string>;
  certificates: ReadonlyMap<number, KnownCertificate>;
  vantages: ReadonlyMap<string, VantageLabels>;
};

/** What one row is read with beside its cells. */
export type Decoding = {
  names: Names;
  evidence: Evidence;
  certificate: CertificateIdentity | null;
};

/** Places among the columns of the CSV export: of the value itself, or of fields of it. */
export type CsvPlaces = number | Readonly<Record<string, number>>;
type Options = { csv?: CsvPlaces };
/**
 * How a cell stands in a line of CSV without being read first: as it is, as milliseconds, an instant or a word of the dictionary; or
 * as what is read of it, which follows from the cell and what it names alone.
 */
export type CsvForm = 'plain' | 'micros' | 'instant' | 'text' | 'once';

/**
 * A column: `Cell` is what node-postgres gives, `Value` what the Result holds. `write` takes undefined for what the Result
 * leaves out; `read` gives undefined for it.
 */
export type Column<Name extends string = string, Cell = unknown, Value = unknown> = Options & {
  column: Name;
  /** As PostgreSQL names it (`udt_name`). */
  type: 'uuid' | 'timestamptz' | 'int2' | 'int4' | 'float8' | 'bool';
  /** How it stands in a line of CSV; what has none is read for each line. */
  form?: CsvForm;
  /** Whether cells are ids of the dictionary. */
  named?: true;
  /** Whether it is written from the object that holds the field, not from the field. */
  ofParent?: true;
  write(out: CopyWriter, value: Value | undefined, to: Encoding): void;
  read(cell: Cell, from: Decoding): Value | undefined;
};

/** A field that is kept beside the row: in its evidence, or with its certificate. */
export type Elsewhere<Value = unknown> = Options & { elsewhere(from: Decoding): Value | undefined };

type Nullable<Name extends string, Type> = Column<Name, Type | null, Type | null>;

/** A column that holds the value as it is, null where there is none. */
const asItIs =
  <Value>(type: Column['type'], write: (out: CopyWriter, value: Value | null | undefined) => void) =>
  <Name extends string>(column: Name, options?: Options): Nullable<Name, Value> => ({
    ...options,
    column,
    type,
    form: 'plain',
    write,
    read: (cell) => cell,
  });

export const uuid = asItIs<string>('uuid', (out, value = null) => out.uuid(value));
export const int2 = asItIs<number>('int2', (out, value = null) => out.int2(value));
export const int4 = asItIs<number>('int4', (out, value = null) => out.int4(value));
export const float8 = asItIs<number>('float8', (out, value = null) => out.float8(value));
export const bool = asItIs<boolean>('bool', (out, value = null) => out.bool(value));

/** An instant of RFC 3339 in UTC, to the millisecond. */
export const instant = <Name extends string>(
  column: Name,
  options?: Options,
): Column<Name, Date | null, string | null> => ({
  ...options,
  column,
  type: 'timestamptz',
  form: 'instant',
  write: (out, value = null) => out.time(value === null ? null : Date.parse(value)),
  read: (cell) => cell?.toISOString() ?? null,
});

/** Milliseconds, kept as whole microseconds. */
export const micros = <Name extends string>(column: Name, options?: Options): Nullable<Name, number> => ({
  ...options,
  column,
  type: 'int4',
  form: 'micros',
  write: (out, value = null) => out.micros(value),
  read: (cell) => (cell === null ? null : cell / 1_000),
});

type Named<Name extends string, Value> = Column<Name, number | null, Value> & { named: true };

/** A string that many results share, by its id in the dictionary. */
export const text = <Name extends string>(column: Name, options?: Options): Named<Name, string | null> => ({
  ...options,
  column,
  type: 'int4',
  form: 'text',
  named: true,
  write: (out, value = null, { lookup }) => out.int4(lookup.string(value)),
  read: (cell, { names }) => stringOf(names, cell),
});

const stringOf = ({ strings }: Names, id: number | null) => (id === null ? null : (strings.get(id) ?? null));

/** What a closed list calls a value, by the number that is stored for it. */
export const code = <Name extends string, Word extends string>(
  column: Name,
  codes: Record<Word, number>,
  options?: Options,
): Column<Name, number | null, Word> & { mayBeAbsent: true } => ({
  ...options,
  column,
  type: 'int2',
  form: 'once',
  mayBeAbsent: true,
  write: (out, value) => out.int2(value === undefined ? null : codes[value]),
  read: (cell) => (Object.keys(codes) as Word[]).find((word) => codes[word] === cell),
});

/** Longer texts stand with the evidence of their result, so that the dictionary and its cache stay small. */
const MAX_SHARED = 4_096;

/** A part that is the same from one result to the next, as JSON in the dictionary; `null` is the text of a null. */
export const shared = <Name extends string, Value>(
  column: Name,
  schema: z.ZodType<Value>,
  tooLongIn: keyof Encoding['tooLong'] | null,
  options?: Options,
): Named<Name, Value | null> & { mayBeAbsent: true } => ({
  ...options,
  column,
  type: 'int4',
  named: true,
  mayBeAbsent: true,
  write: (out, value, { lookup, tooLong }) => {
    const textOf = (part: unknown): string | null => {
      const json = JSON.stringify(part);
      if (json.length <= MAX_SHARED || tooLongIn === null) return json;
      tooLong[tooLongIn] = json;
      return null;
    };
    if (value === undefined) out.int4(null);
    else if (typeof value === 'object' && value !== null) out.int4(lookup.part(column, value, textOf));
    else out.int4(lookup.string(textOf(value)));
  },
  read: (cell, { names, evidence }) => {
    const long = tooLongIn === null ? undefined : evidence[tooLongIn];
    if (long !== undefined) return schema.nullable().parse(JSON.parse(long));
    const json = stringOf(names, cell);
    return json === null ? undefined : parsedOnce(names, json, schema);
  },
});

/** Parts that were read for rows that are decoded together: most have the same ones. */
const parts = new WeakMap<Names, Map<z.ZodType, Map<string, unknown>>>();

function parsedOnce<Value>(names: Names, json: string, schema: z.ZodType<Value>): Value | null {
  const bySchema = parts.get(names) ?? new Map<z.ZodType, Map<string, unknown>>();
  parts.set(names, bySchema);
  const known = bySchema.get(schema) ?? new Map<string, unknown>();
  bySchema.set(schema, known);
  if (!known.has(json)) known.set(json, schema.nullable().parse(JSON.parse(json)));
  return known.get(json) as Value | null;
}

/**
 * `1,1 1,1 2,1 1,1 1,1 0,0`: took and expected of TCP, TLS, first byte, first packet, and from engine 3 on first body and
 * download; a dash for null. Waits are evidence, and the server's window has columns of its own.
 */
export const roundTripCounts = <Name extends string>(
  column: Name,
  options?: Options,
): Named<Name, RoundTrips | null> & { mayBeAbsent: true } => ({
  ...options,
  column,
  type: 'int4',
  form: 'once',
  named: true,
  mayBeAbsent: true,
  write: (out, value, { lookup }) =>
    out.int4(value ? lookup.part(column, value, countsText) : lookup.string(value === null ? 'null' : null)),
  read: (cell, { names, evidence }) => {
    const counts = stringOf(names, cell);
    if (counts === null || counts === 'null') return counts === null ? undefined : null;
    const [tcp, tls, firstByte, firstPacket, firstBody, download] = counts.split(' ').map(countsOf);
    if (!tcp || !tls || !firstByte || !firstPacket) return undefined;
    const later = { ...(firstBody ? { firstBody } : {}), ...(download ? { download } : {}) };
    return { tcp, tls, firstByte, firstPacket, ...later, waits: evidence.waits ?? [] };
  },
});

const LEFT_OUT = '_';

function countsText(roundTrips: RoundTrips): string {
  const { tcp, tls, firstByte, firstPacket, firstBody, download } = roundTrips;
  const later = firstBody || download ? [firstBody, download] : [];
  const written = (counts?: RoundTrips['tcp']) =>
    counts ? `${counts.took ?? '-'},${counts.expected ?? '-'}` : LEFT_OUT;
  return [tcp, tls, firstByte, firstPacket, ...later].map(written).join(' ');
}

function countsOf(counts: string): RoundTrips['tcp'] | null {
  if (counts === LEFT_OUT) return null;
  const [took = '-', expected = '-'] = counts.split(',');
  return { took: took === '-' ? null : Number(took), expected: expected === '-' ? null : Number(expected) };
}

export const vantage = <Name extends string>(
  column: Name,
  options?: Options,
): Column<Name, string, VantageRef | null> => ({
  ...options,
  column,
  type: 'uuid',
  form: 'once',
  write: (out, value) => out.uuid(value?.id ?? null),
  read: (cell, { names }) => {
    const labels = names.vantages.get(cell);
    return labels ? vantageRef(labels) : null;
  },
});

/** The certificate as it is stored once for all; the field is its fingerprint. */
export const certificate = <Name extends string>(
  column: Name,
  options?: Options,
): Column<Name, number | null, string> => ({
  ...options,
  column,
  type: 'int4',
  ofParent: true,
  write: (out, value, { lookup }) => out.int4(lookup.certificate(value as Certificate | undefined)),
  read: (_, from) => from.certificate?.sha256,
});

/** A field of the certificate that is the same in every result. */
export const identity = <Key extends keyof CertificateIdentity>(
  key: Key,
  options?: Options,
): Elsewhere<CertificateIdentity[Key]> => ({ ...options, elsewhere: ({ certificate: known }) => known?.[key] });

/** A field that stands in the evidence of its result; undefined where the result leaves it out. */
export const evidence = <Value>(
  read: (evidence: Evidence) => Value,
  options?: Options,
): Elsewhere<Value> & { mayBeAbsent: true } => ({
  ...options,
  mayBeAbsent: true,
  elsewhere: (from) => read(from.evidence),
});

/** A column that is null in no row that has the field. */
export function required<Name extends string, Cell, Value>(column: Column<Name, Cell, Value>) {
  return column as Column<Name, NonNullable<Cell>, NonNullable<Value>>;
}

/** A field that is either there with a value or left out. */
export function leftOut<Name extends string, Cell, Value>(
  column: Column<Name, Cell, Value>,
): Column<Name, Cell, NonNullable<Value>> & { mayBeAbsent: true } {
  return { ...column, mayBeAbsent: true, read: (cell, from) => column.read(cell, from) ?? undefined };
}

/** A field that may be null as well as left out: what a result leaves out reads as null. */
export function optional<Name extends string, Cell, Value>(
  column: Column<Name, Cell, Value>,
): Column<Name, Cell, Value> & { mayBeAbsent: true } {
  return { ...column, mayBeAbsent: true };
}

/** A column that holds the most of a part, and further columns for the rest of it. */
export function withFields<Most extends Column, Rest>(column: Most, fields: Rest): Most & { fields: Rest } {
  return { ...column, fields };
}
