import { StartError } from '../start-error.ts';
import { dialectOf, readRecords } from './csv-records.ts';
import { instantOf, NO_ZONE } from './instant.ts';
import { type ReadFile, Reading, reasonOf } from './measurements.ts';
import { carrierOf, countryOf, placedIn, regionOf, regionOfCity } from './places.ts';

// CSV of any monitor: a header, and columns that `--map` names.

const DURATIONS = ['dnsMs', 'connectMs', 'tlsMs', 'firstByteMs', 'downloadMs', 'totalMs'] as const;
const FIELDS = [
  'at',
  'country',
  'region',
  'carrier',
  'city',
  'asn',
  'access',
  'ok',
  'httpStatus',
  'reason',
  ...DURATIONS,
];
/** To ms. */
const UNITS: Record<string, number> = { ms: 1, s: 1_000, us: 1e-3 };

/** The column of a field, and how many ms its unit is. */
type Source = { column: string; factor: number };
type ColumnMap = Map<string, Source>;

/** `at=time,tlsMs=ssl_ms:s` as the columns of fields. Throws StartError for a field or a unit that is none, and for a field named twice. */
export function columnMap(text: string | undefined): ColumnMap {
  const map: ColumnMap = new Map();
  if (text === undefined) return map;
  for (const pair of text.split(',')) {
    const [, field = '', column = '', unit = 'ms'] = /^\s*(\w+)\s*=\s*(.+?)(?::(ms|s|us))?\s*$/.exec(pair) ?? [];
    if (!FIELDS.includes(field))
      throw new StartError(`--map has “${pair.trim()}”: give FIELD=COLUMN, of the fields ${FIELDS.join(', ')}.`);
    if (map.has(field)) throw new StartError(`--map names ${field} twice.`);
    map.set(field, { column, factor: UNITS[unit] ?? 1 });
  }
  return map;
}

/** How many columns there are, and which of them a field is, with its factor. */
type Columns = { width: number; of: Map<string, { index: number; factor: number }> };

/**
 * Measurements of a CSV in UTF-8. `offset` is that of times without one, minutes. Throws StartError where the header lacks a column or
 * has two of its name, and where a time needs an offset and has none.
 */
export function readCsv(file: Buffer, map: ColumnMap, offset: number | null): ReadFile {
  const reading = new Reading();
  const dialect = dialectOf(file);
  // Where cells are parted by semicolons, spreadsheets write 0,05.
  const comma = dialect.delimiter === ';';
  let columns = undefined as Columns | undefined;
  readRecords(file, dialect, {
    take: (line, cells) => {
      if (!columns) columns = columnsOf(cells, map);
      else if (cells.length !== columns.width)
        reading.leave(`line ${line}`, `has ${cells.length} cells, not ${columns.width}`);
      else {
        const read = measurementOf({ cells, columns, comma }, offset);
        // Others without one would be left out as well.
        if (typeof read === 'string' && read.endsWith(NO_ZONE)) throw new StartError(`line ${line}: ${read}.`);
        reading.add(`line ${line}`, read);
      }
    },
    leave: (line, reason) => reading.leave(`line ${line}`, reason),
    isRecord: (cells) => {
      const at = cells[columns?.of.get('at')?.index ?? -1]?.replaceAll('"', '').trim() ?? '';
      return cells.length >= (columns?.width ?? 0) && instantOf(at, offset ?? 0) instanceof Date;
    },
  });
  columns ??= columnsOf([], map);
  return reading.end();
}

function columnsOf(names: readonly string[], map: ColumnMap): Columns {
  const found = FIELDS.flatMap((field) => {
    const { column = field, factor = 1 } = map.get(field) ?? {};
    const index = names.indexOf(column);
    if (index < 0 && map.has(field))
      throw new StartError(`The header of the file has no column “${column}”: it has ${names.join(', ') || 'none'}.`);
    if (index !== names.lastIndexOf(column)) throw new StartError(`The header of the file has “${column}” twice.`);
    return index < 0 ? [] : ([[field, { index, factor }]] as const);
  });
  const of = new Map(found);
  const missing = ['at', 'carrier'].find((field) => !of.has(field));
  if (missing) throw new StartError(`No column is ${missing}: name it by --map ${missing}=COLUMN.`);
  return { width: names.length, of };
}

type Row = { cells: readonly string[]; columns: Columns; comma: boolean };

/** What other monitors write where there is no value. */
const NOTHING = /^(|-|null|nil|none|n\/a|nan)$/i;

/** What a row says of a field; null where nothing. */
function textOf({ cells, columns }: Row, field: string): string | null {
  const cell = cells[columns.of.get(field)?.index ?? -1]?.trim() ?? '';
  return NOTHING.test(cell) ? null : cell;
}

const NUMBER = /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** A decimal number, not negative; NaN for anything else, such as 0x10. */
const numberOf = (text: string): number => (NUMBER.test(text) ? Number(text) : Number.NaN);

/** What a monitor writes of a success where another would give a reason. */
const WELL = /^(0|2\d\d( ok)?|ok|success|succeeded|successful|成功|正常|无)$/i;

/** A row as a measurement, or why it is none. */
function measurementOf(row: Row, offset: number | null): Record<string, unknown> | string {
  const text = (field: string) => textOf(row, field);
  const at = instantOf(text('at') ?? '', offset);
  if (typeof at === 'string') return `at “${text('at') ?? ''}” ${at}`;
  const placed = placeOf(text);
  if (typeof placed === 'string') return placed;
  const durations: Record<string, number | null> = {};
  for (const field of DURATIONS) {
    const cell = text(field);
    const value = cell === null ? null : numberOf(row.comma ? cell.replace(',', '.') : cell);
    if (Number.isNaN(value)) return `${field} “${cell}” is no duration`;
    durations[field] = value === null ? null : value * (row.columns.of.get(field)?.factor ?? 1);
  }
  const status = text('httpStatus');
  const httpStatus = status === null || status === '0' ? null : numberOf(status);
  if (Number.isNaN(httpStatus)) return `httpStatus “${status}” is no number`;
  const asn = text('asn')?.replace(/^AS/i, '');
  const reason = reasonOf(text('reason'));
  const well = (reason === null || WELL.test(reason)) && (httpStatus === null || httpStatus < 400);
  const ok = row.columns.of.has('ok') ? okOf(text('ok') ?? '') : well;
  if (ok === null) return `ok “${text('ok') ?? ''}” is neither yes nor no`;
  return {
    ...{ at: at.toISOString(), ...placed, city: text('city'), ok, ...durations, httpStatus },
    ...(asn ? { asn: numberOf(asn) } : {}),
    ...(text('access') ? { access: text('access') } : {}),
    // A failure by its status alone has no reason that says that all is well.
    ...(ok ? {} : { reason: WELL.test(reason ?? '') ? null : reason }),
  };
}

const YES = /^(1|true|yes|y|ok|up|success|succeeded|successful|pass|passed|正常|成功|是)$/i;
const NO = /^(0|false|no|n|down|fail|failed|failure|error|timeout|异常|失败|超时|否)$/i;
const okOf = (cell: string): boolean | null => (YES.test(cell) ? true : NO.test(cell) ? false : null);

function placeOf(
  text: (field: string) => string | null,
): { country: string; region: string; carrier: string } | string {
  const [regionText, countryText, city, carrierText] = ['region', 'country', 'city', 'carrier'].map(text);
  const carrier = carrierOf(carrierText);
  if (carrier === null) return 'has no carrier';
  const region = regionText ? (regionOf(regionText) ?? regionOfCity(regionText)) : regionOfCity(city ?? '');
  const country = countryText ? countryOf(countryText) : (region?.slice(0, 2) ?? null);
  if (countryText && country === null) return `country “${countryText}” is not known`;
  // Regions of China have names that are known; those of other countries need not be.
  if (regionText && region === null && (country === null || country === 'CN'))
    return `region “${regionText}” is not known`;
  if (country === null) return 'has neither region nor country';
  return { ...placedIn(country, region), carrier };
}
