import { StartError } from '../start-error.ts';
import { type ReadFile, Reading } from './measurements.ts';
import { carrierOf, countryOf, placedIn, regionOf, regionOfCity } from './places.ts';

// CSV (RFC 4180) of any monitor: a header, and columns that `--map` names.

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
export type ColumnMap = Map<string, Source>;

/** `at=time,tlsMs=ssl_ms:s` as the columns of fields. Throws StartError for a field or a unit that is none. */
export function columnMap(text: string): ColumnMap {
  return new Map(
    text.split(',').map((pair) => {
      const [, field = '', column = '', unit = 'ms'] = /^\s*(\w+)\s*=\s*(.+?)(?::(ms|s|us))?\s*$/.exec(pair) ?? [];
      if (!FIELDS.includes(field))
        throw new StartError(`--map has “${pair.trim()}”: give FIELD=COLUMN, of the fields ${FIELDS.join(', ')}.`);
      return [field, { column, factor: UNITS[unit] ?? 1 }];
    }),
  );
}

/** Measurements of a CSV. `offset` (+08:00) is that of times without one. Throws StartError where the header lacks a column. */
export function readCsv(text: string, map: ColumnMap, offset: string | null): ReadFile {
  const [header, ...rows] = recordsOf(text);
  const names = header?.cells.map((name) => name.trim()) ?? [];
  const columns = FIELDS.flatMap((field) => {
    const { column = field, factor = 1 } = map.get(field) ?? {};
    const index = names.indexOf(column);
    if (index < 0 && map.has(field))
      throw new StartError(`The header of the file has no column “${column}”: it has ${names.join(', ') || 'none'}.`);
    return index < 0 ? [] : [{ field, index, factor }];
  });
  const missing = ['at', 'carrier'].find((field) => !columns.some((each) => each.field === field));
  if (missing) throw new StartError(`No column is ${missing}: name it by --map ${missing}=COLUMN.`);
  const reading = new Reading();
  for (const { line, cells } of rows) {
    const place = `line ${line}`;
    if (cells.length !== names.length) reading.leave(place, `has ${cells.length} cells, not ${names.length}`);
    else
      reading.add(
        place,
        measurementOf((field) => {
          const column = columns.find((each) => each.field === field);
          return column ? { cell: emptied(cells[column.index]), factor: column.factor } : null;
        }, offset),
      );
  }
  return reading.end();
}

/** What other monitors write where there is no value. */
const emptied = (cell = '') => (/^(|-|null|nil|none|n\/a|nan)$/i.test(cell.trim()) ? null : cell.trim());

type Cell = (field: string) => { cell: string | null; factor: number } | null;

/** A row as a measurement, or why it is none. */
function measurementOf(cellOf: Cell, offset: string | null): Record<string, unknown> | string {
  const text = (field: string) => cellOf(field)?.cell ?? null;
  const at = instantOf(text('at') ?? '', offset);
  if (at === null) return `at “${text('at') ?? ''}” is no time with a time zone (give --offset +08:00 for one without)`;
  const placed = placeOf(text);
  if (typeof placed === 'string') return placed;
  const durations: Record<string, number | null> = {};
  for (const field of DURATIONS) {
    const { cell, factor } = cellOf(field) ?? { cell: null, factor: 1 };
    const value = cell === null ? null : Number(cell);
    if (value !== null && !(value >= 0)) return `${field} “${cell}” is no duration`;
    durations[field] = value === null ? null : value * factor;
  }
  const [status, asn] = [text('httpStatus'), text('asn')?.replace(/^AS/i, '')];
  const httpStatus = status === null || status === '0' ? null : Number(status);
  const reason = text('reason');
  const ok = cellOf('ok') ? okOf(text('ok') ?? '') : reason === null && (httpStatus === null || httpStatus < 400);
  if (ok === null) return `ok “${text('ok') ?? ''}” is neither yes nor no`;
  return {
    ...{ at, ...placed, city: text('city'), ok, ...durations, httpStatus },
    ...(asn ? { asn: Number(asn) } : {}),
    ...(text('access') ? { access: text('access') } : {}),
    ...(ok ? {} : { reason }),
  };
}

function placeOf(
  text: (field: string) => string | null,
): { country: string; region: string; carrier: string } | string {
  const [regionText, countryText, city, carrierText] = ['region', 'country', 'city', 'carrier'].map(text);
  const carrier = carrierOf(carrierText ?? '');
  if (carrier === null) return `carrier “${carrierText ?? ''}” is not known`;
  const region = regionText ? regionOf(regionText) : regionOfCity(city ?? '');
  if (regionText && region === null) return `region “${regionText}” is not known`;
  const country = countryText ? countryOf(countryText) : (region?.slice(0, 2) ?? null);
  if (country === null) return countryText ? `country “${countryText}” is not known` : 'has neither region nor country';
  return { ...placedIn(country, region), carrier };
}

/** An instant as RFC 3339: of that, of seconds or ms since 1970, or of a local time in `offset`; null for anything else. */
function instantOf(cell: string, offset: string | null): string | null {
  if (/^\d{10}(\.\d+)?$/.test(cell)) return new Date(Number(cell) * 1_000).toISOString();
  if (/^\d{13}$/.test(cell)) return new Date(Number(cell)).toISOString();
  const [, date, time, zone = offset] =
    /^(\d{4}[-/]\d\d[-/]\d\d)[ T](\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?) ?(Z|[+-]\d\d:?\d\d)?$/i.exec(cell) ?? [];
  if (!date || !time || !zone) return null;
  const at = new Date(
    `${date.replaceAll('/', '-')}T${time.replace(',', '.')}${zone.replace(/(\d\d)(\d\d)$/, '$1:$2')}`,
  );
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}

const YES = /^(1|true|yes|ok|up|success|succeeded|successful|pass|passed|正常|成功|是)$/i;
const NO = /^(0|false|no|down|fail|failed|failure|error|timeout|异常|失败|超时|否)$/i;
const okOf = (cell: string): boolean | null => (YES.test(cell) ? true : NO.test(cell) ? false : null);

type CsvRecord = { line: number; cells: string[] };

/** The records of a CSV with the lines on which they begin; a quoted cell may hold commas, quotes (doubled) and line breaks. */
function recordsOf(text: string): CsvRecord[] {
  const records: CsvRecord[] = [];
  let [line, begun, cells]: [number, number, string[]] = [1, 1, []];
  // A cell, quoted or not, and what ends it.
  for (const [all, quoted, bare = '', end] of text
    .replace(/^\uFEFF/, '')
    .matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    if (all === '' && cells.length === 0) break;
    cells.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    line += all.split('\n').length - 1;
    if (end === ',') continue;
    if (cells.length > 1 || cells[0] !== '') records.push({ line: begun, cells });
    [begun, cells] = [line, []];
    if (end === '') break;
  }
  return records;
}
