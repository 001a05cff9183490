import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { type Cell, type ColumnIn, type Kind, type Near, TableReader, writeTable } from '#analysis/columnar.ts';

/** A row of `result` as node-postgres gives it; `evidence` is that of `result_evidence`, null where there is none. */
export type SealedRow = Record<string, unknown> & {
  id: string;
  target_id: string;
  started_at: Date;
  evidence: unknown;
};
/** A column as node-postgres describes it. */
export type Field = { name: string; dataTypeID: number };
/** What a block is opened from. */
export type StoredBlock = { target_id: string; codec: number; ids: Buffer; data: Buffer };

/** How `data` is written. One that is changed takes a new number, and the old ones are still read. */
export const CODEC = 1;
/** Of an id the last ten bytes, which are random, stand by themselves: they do not compress, and are searched. */
export const TAIL_BYTES = 10;
const LEVEL = 3;
/** No block of ours unpacks to more. */
const MOST_UNPACKED = 256 * 1024 * 1024;
/** So few rows are made cell by cell. */
const FEW_ROWS = 4;
/** Wire records that have columns; of longer ones the text is kept. */
const MOST_WIRE_RECORDS = 64;

// Names of columns in a table begin with a letter for their type. `x:id` is the time in the id, `j:evidence` JSON, `w:` what
// the evidence says of wire records.
const LETTERS = new Map([
  [16, 'b'],
  [21, 'i'],
  [23, 'i'],
  [701, 'f'],
  [1184, 't'],
  [2950, 'u'],
]);
const KIND_OF: Record<string, Kind> = { b: 'int', i: 'int', f: 'float', t: 'int', u: 'text' };

/** What a column nearly is: what is left of it is small or nothing. Marks are sums of phases, but for our own delays. */
const NEAR: Record<string, Near> = {
  'x:id': { sum: ['t:started_at'] },
  'i:namelookup_us': { sum: ['i:dns_us'] },
  'i:connect_us': { sum: ['i:namelookup_us', 'i:tcp_us'] },
  'i:appconnect_us': { sum: ['i:connect_us', 'i:tls_us'] },
  'i:pretransfer_us': { sum: ['i:appconnect_us'] },
  'i:starttransfer_us': { sum: ['i:pretransfer_us', 'i:first_byte_us'] },
  'i:end_us': { sum: ['i:starttransfer_us', 'i:download_us'] },
  'i:total_us': { sum: ['i:end_us'] },
  'i:wire_us': { sum: ['i:tls_us'] },
  'i:min_rtt_us': { sum: ['i:tcp_us'] },
  'i:rtt_us': { sum: ['i:tcp_us'] },
  'i:first_packet_us': { sum: ['i:first_byte_us'] },
  'i:first_usable_us': { sum: ['i:first_byte_us'] },
  'i:first_body_us': { sum: ['i:first_byte_us'] },
  'i:first_body_mark_us': { sum: ['i:pretransfer_us', 'i:first_body_us'] },
  'i:first_body_packet_us': { sum: ['i:first_body_us'] },
  'i:http_work_us': { sum: ['i:tls_work_us'] },
  'f:rtt_ratio': { quotient: ['i:tls_us', 'i:tcp_us'] },
};

/** Packs rows of one target, which must be in the order of their vantages and then of time. Throws for a type that is not known. */
export function packRows(rows: readonly SealedRow[], fields: readonly Field[]): Omit<StoredBlock, 'target_id'> {
  const columns = fields
    .filter(({ name }) => name !== 'target_id' && name !== 'id' && name !== 'evidence')
    .map(({ name, dataTypeID }): ColumnIn => {
      const letter = LETTERS.get(dataTypeID);
      if (letter === undefined) throw new Error(`the column ${name} of result has a type that blocks do not hold`);
      const title = `${letter}:${name}`;
      return {
        name: title,
        kind: KIND_OF[letter] as Kind,
        cells: rows.map((row) => plain(row[name])),
        near: NEAR[title],
      };
    });
  columns.push({ name: 'x:id', kind: 'int', cells: rows.map(({ id }) => timeOfId(id)), near: NEAR['x:id'] });
  columns.push(...evidenceColumns(rows.map(({ evidence }) => evidence)));
  return {
    codec: CODEC,
    ids: Buffer.concat(rows.map(({ id }) => tailOf(id))),
    data: zstdCompressSync(writeTable(rows.length, columns), {
      params: { [constants.ZSTD_c_compressionLevel]: LEVEL },
    }),
  };
}

function plain(value: unknown): Cell {
  if (value instanceof Date) return value.getTime();
  if (typeof value === 'boolean') return value ? 1 : 0;
  return (value ?? null) as Cell;
}

/** The first 48 bits of an id: of a UUIDv7, ms since 1970. */
export const timeOfId = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
export const tailOf = (id: string) => Buffer.from(id.replaceAll('-', '').slice(12), 'hex');

const WIRE_RECORD = /(\d+)([<>]\d+ [^|]*\|)/g;

/** Wire records (see results/evidence.ts): what they were as one text, which is mostly the same, and when in columns. */
function evidenceColumns(evidence: readonly unknown[]): ColumnIn[] {
  const rests: Cell[] = [];
  const shapes: Cell[] = [];
  const instants: number[][] = [];
  for (const each of evidence) {
    const { shape, micros, rest } = splitWire(each);
    rests.push(rest === null ? null : JSON.stringify(rest));
    shapes.push(shape);
    instants.push(micros);
  }
  const most = instants.reduce((longest, { length }) => Math.max(longest, length), 0);
  return [
    { name: 'j:evidence', kind: 'text', cells: rests },
    { name: 'w:shape', kind: 'text', cells: shapes },
    ...Array.from(
      { length: most },
      (_, nth): ColumnIn => ({
        name: `w:${nth}`,
        kind: 'int',
        cells: instants.map((micros) => micros[nth] ?? null),
        near: { sum: [nth === 0 ? 'i:connect_us' : `w:${nth - 1}`] },
      }),
    ),
  ];
}

type Split = { shape: string | null; micros: number[]; rest: unknown };

function splitWire(evidence: unknown): Split {
  const whole: Split = { shape: null, micros: [], rest: evidence ?? null };
  if (typeof evidence !== 'object' || evidence === null || !('wire' in evidence)) return whole;
  const { wire, ...rest } = evidence;
  if (typeof wire !== 'string') return whole;
  const records = [...wire.matchAll(WIRE_RECORD)];
  const micros = records.map(([, at]) => Number(at));
  const shape = records.map(([, , what]) => what).join('');
  const isWhole = records.length <= MOST_WIRE_RECORDS && micros.every(Number.isSafeInteger);
  return isWhole && joinWire(recordsOf(shape), (nth) => micros[nth] ?? 0) === wire ? { shape, micros, rest } : whole;
}

/** What the records of a wire were, but when; `shape` ends with a bar. */
const recordsOf = (shape: string) => shape.split('|').slice(0, -1);

function joinWire(records: readonly string[], microsOf: (nth: number) => number): string {
  let wire = '';
  for (let nth = 0; nth < records.length; nth++) wire += `${microsOf(nth)}${records[nth]}|`;
  return wire;
}

/** What is wanted of rows: these columns, null where a block has none of them, and of evidence what has one of these names. */
export type Needs = { columns: readonly string[]; evidence: readonly string[] };

/** A block whose rows can be read. Throws an Error for one that a newer version wrote, a RangeError for damaged bytes. */
export class Block {
  readonly targetId: string;
  readonly #ids: Buffer;
  readonly #table: TableReader;
  /** Columns of `result`, by name, as they are called in the table. */
  readonly #titles = new Map<string, string>();
  readonly #cells = new Map<string, readonly unknown[]>();
  /** Records of wires by what they were, and when they were, record by record. */
  readonly #shapes = new Map<string, string[]>();
  #instants: (readonly Cell[])[] | null = null;
  #makeRow: MakeRow | null = null;
  #rowsMade = 0;
  #idsMade = 0;

  constructor({ target_id, codec, ids, data }: StoredBlock) {
    if (codec !== CODEC) throw new Error(`a block of results is written in form ${codec}; this version reads ${CODEC}`);
    this.targetId = target_id;
    this.#ids = ids;
    this.#table = new TableReader(zstdDecompressSync(data, { maxOutputLength: MOST_UNPACKED }));
    if (ids.length !== this.#table.rows * TAIL_BYTES) throw new RangeError('a block has not one id a result');
    for (const title of this.#table.names) if (/^[bftiu]:/.test(title)) this.#titles.set(title.slice(2), title);
  }

  get rows(): number {
    return this.#table.rows;
  }

  /** The cells of a column of `result` as node-postgres gives them, null where the block has none of it. Not `id`. */
  cells(column: string): readonly unknown[] {
    const known = this.#cells.get(column);
    if (known) return known;
    const title = this.#titles.get(column) ?? '';
    const plainCells = this.#table.cells(title);
    const cells = /^[bt]:/.test(title) ? plainCells.map((cell) => typed(title, cell)) : plainCells;
    this.#cells.set(column, cells);
    return cells;
  }

  /** When each row began, ms since 1970. */
  get instants(): readonly number[] {
    return this.#table.cells('t:started_at') as readonly number[];
  }

  idAt(row: number): string {
    const times = this.#idsMade++ < FEW_ROWS ? null : this.#table.cells('x:id');
    const time = ((times ? times[row] : this.#table.cellAt('x:id', row)) as number).toString(16).padStart(12, '0');
    const tail = this.#ids.toString('hex', row * TAIL_BYTES, (row + 1) * TAIL_BYTES);
    return `${time.slice(0, 8)}-${time.slice(8)}-${tail.slice(0, 4)}-${tail.slice(4, 8)}-${tail.slice(8)}`;
  }

  /** The rows whose ids end with one of these random bytes, as latin1; another id may end so too. */
  rowsOf(tails: ReadonlySet<string>): number[] {
    const rows: number[] = [];
    for (let row = 0; row < this.rows; row++)
      if (tails.has(this.#ids.toString('latin1', row * TAIL_BYTES, (row + 1) * TAIL_BYTES))) rows.push(row);
    return rows;
  }

  /** A row as it was, but for columns that are newer than the block; or what is needed of it, each time the same. */
  rowAt(row: number, needs: Needs | null = null, id = this.idAt(row)): SealedRow {
    if (needs === null && this.#rowsMade++ < FEW_ROWS) return this.#rowByCells(row);
    this.#makeRow ??= this.#rowMaker(needs);
    const evidence = needs === null ? this.#evidenceAt(row) : this.#evidenceOf(row, needs);
    return this.#makeRow(id, evidence, row);
  }

  /** Of a few rows alone, columns are not decoded. */
  #rowByCells(row: number): SealedRow {
    const found: Record<string, unknown> = {};
    for (const [column, title] of this.#titles) found[column] = typed(title, this.#table.cellAt(title, row));
    const evidence = this.#evidenceAt(row);
    return { ...found, target_id: this.targetId, id: this.idAt(row), evidence } as SealedRow;
  }

  /** Compiled, as an object with a hundred fields is otherwise made one by one. Nothing but names of columns gets into it. */
  #rowMaker(needs: Needs | null): MakeRow {
    const all = needs?.columns.filter((name) => name !== 'id' && name !== 'target_id') ?? [...this.#titles.keys()];
    if (!all.every((name) => /^[a-z0-9_]+$/.test(name))) throw new RangeError('a block has a column that is none');
    const names = all.filter((name) => this.#titles.has(name));
    const fields = all
      .map((name) => `${name}: ${this.#titles.has(name) ? `cells[${names.indexOf(name)}][row]` : 'null'}`)
      .join(', ');
    const make = `return (id, evidence, row) => ({ target_id: target, id, evidence, ${fields} })`;
    const cells = names.map((name) => this.cells(name));
    return new Function('target', 'cells', make)(this.targetId, cells) as MakeRow;
  }

  /** Without wire records, and null where it has nothing that is needed: then its text has none of the names. */
  #evidenceOf(row: number, { evidence }: Needs): unknown {
    const json = this.#table.cells('j:evidence')[row];
    if (typeof json !== 'string' || !evidence.some((name) => json.includes(`"${name}"`))) return null;
    return JSON.parse(json);
  }

  #evidenceAt(row: number): unknown {
    const json = this.#table.cellAt('j:evidence', row);
    if (typeof json !== 'string') return null;
    const shape = this.#table.cellAt('w:shape', row);
    const rest = JSON.parse(json) as object;
    if (typeof shape !== 'string') return rest;
    const known = this.#shapes.get(shape) ?? recordsOf(shape);
    this.#shapes.set(shape, known);
    if (this.#makeRow === null)
      return { ...rest, wire: joinWire(known, (nth) => this.#table.cellAt(`w:${nth}`, row) as number) };
    this.#instants ??= Array.from({ length: MOST_WIRE_RECORDS }, (_, nth) => this.#table.cells(`w:${nth}`));
    const columns = this.#instants;
    return { ...rest, wire: joinWire(known, (nth) => columns[nth]?.[row] as number) };
  }
}

/** A cell of a table as node-postgres gives it. */
function typed(title: string, cell: Cell): unknown {
  if (cell === null) return null;
  if (title.startsWith('b:')) return cell === 1;
  return title.startsWith('t:') ? new Date(cell as number) : cell;
}

type MakeRow = (id: string, evidence: unknown, row: number) => SealedRow;
