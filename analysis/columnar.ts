import { VarintReader, VarintWriter } from './varint.ts';

// A table of typed columns as bytes, made to be compressed afterwards. Each column is written by itself, in the cheapest of
// some ways, so that what is constant takes nothing and what is noise takes little more than its entropy:
//   rows, number of columns; for each column its name, kind and way, and how many bytes it has; then these bytes.
// Whole numbers lie in planes, the lowest byte of every cell, then the next, which compresses better than cell by cell. A
// reader takes single columns; one that the table lacks, since it was not known yet, is all null.

/** `int` is whole and safe, `float` any number. */
export type Kind = 'int' | 'float' | 'text';
export type Cell = number | string | null;
/** What the cells of a column are close to: the sum of others, or the thousandths of a quotient. */
export type Near = { sum: readonly string[] } | { quotient: readonly [string, string] };
export type ColumnIn = { name: string; kind: Kind; cells: readonly Cell[]; near?: Near | undefined };

// Both lists are stored by place: add new ones at the end, never change one.
const KINDS: readonly Kind[] = ['int', 'float', 'text'];
const WAYS = ['nothing', 'constant', 'listed', 'raw', 'direct', 'stepped', 'sum', 'quotient'] as const;
type Way = (typeof WAYS)[number];

/** Most different values of a list that cells are places in. */
const MOST_LISTED = 256;
/** Up to here a number, its double and the difference of two are exact. */
const LARGEST = 2 ** 51;
/** What a value of a list costs in bytes, about. */
const LISTED_COST = 4;
const THOUSANDTHS = 1_000;

/** Throws a RangeError for a cell that its kind does not hold, and where a column has not one cell a row. */
export function writeTable(rows: number, columns: readonly ColumnIn[]): Buffer {
  const byName = new Map(columns.map((column) => [column.name, column]));
  const head = new VarintWriter(8_192);
  const body = new VarintWriter(rows * 512 + 1);
  head.write(rows);
  head.write(columns.length);
  for (const column of columns) {
    if (column.cells.length !== rows) throw new RangeError(`column ${column.name} has ${column.cells.length} cells`);
    const from = body.length;
    const way = encode(body, column, byName);
    writeText(head, column.name);
    head.write(KINDS.indexOf(column.kind) * WAYS_ROOM + WAYS.indexOf(way));
    head.write(body.length - from);
  }
  head.append(body.take());
  return head.take();
}

const WAYS_ROOM = 16;

type Candidate = { way: Way; planes: Planes; names?: readonly string[]; cost: number };

/** Appends the cells of a column, and says in what way. */
function encode(writer: VarintWriter, column: ColumnIn, byName: ReadonlyMap<string, ColumnIn>): Way {
  const { name, kind, near } = column;
  const cells = column.cells.includes(null) ? column.cells.filter((cell) => cell !== null) : column.cells;
  if (cells.length === 0) return 'nothing';
  writeNulls(writer, column.cells);
  const [first] = cells;
  // -0 equals 0, and is another number.
  if (cells.every((cell) => Object.is(cell, first))) {
    writeValues(writer, kind, [first as Cell]);
    return 'constant';
  }
  const list = listOf(cells);
  const numbers = kind === 'text' ? null : wholeNumbers(name, kind, cells);
  const candidates: Candidate[] = [];
  const add = (way: Way, values: Float64Array, names?: readonly string[]) => {
    const planes = planesOf(values);
    if (planes === null) return;
    const extra = way === 'listed' ? (list?.length ?? 0) * LISTED_COST : 0;
    candidates.push({ way, planes, cost: planes.cost + extra, ...(names ? { names } : {}) });
  };
  if (numbers) {
    add('direct', numbers);
    add('stepped', steps(numbers));
    const guess = near && guessesOf(near, column.cells.length, (other) => byName.get(other)?.cells ?? null);
    if (near && guess) {
      const close = column.cells.length === cells.length ? guess : guess.filter((_, row) => column.cells[row] !== null);
      const [way, names] = 'sum' in near ? (['sum', near.sum] as const) : (['quotient', near.quotient] as const);
      add(way, differences(numbers, close), names);
    }
  }
  if (list) add('listed', placesIn(cells, list));
  const best = candidates.reduce<Candidate | null>((a, b) => (a === null || b.cost < a.cost ? b : a), null);
  if (!best) {
    writeValues(writer, kind, cells);
    return 'raw';
  }
  if (best.way === 'listed') {
    writer.write(list?.length ?? 0);
    writeValues(writer, kind, list ?? []);
  }
  if (best.names) {
    writer.write(best.names.length);
    for (const other of best.names) writeText(writer, other);
  }
  writePlanes(writer, best.planes);
  return best.way;
}

/** A table as it was written; columns are decoded when they are asked for. Throws a RangeError for bytes that are none. */
export class TableReader {
  readonly rows: number;
  readonly #columns = new Map<string, { kind: Kind; way: Way; bytes: Uint8Array }>();
  readonly #decoded = new Map<string, readonly Cell[]>();

  constructor(bytes: Uint8Array) {
    const reader = new VarintReader(bytes);
    this.rows = reader.read();
    const columns = Array.from({ length: reader.read() }, () => {
      const name = readText(reader);
      const code = reader.read();
      const kind = KINDS[Math.floor(code / WAYS_ROOM)];
      const way = WAYS[code % WAYS_ROOM];
      if (!kind || !way) throw new RangeError(`column ${name} is written in a way that is not known`);
      return { name, kind, way, length: reader.read() };
    });
    for (const { name, length, ...how } of columns) this.#columns.set(name, { ...how, bytes: reader.take(length) });
  }

  get names(): string[] {
    return [...this.#columns.keys()];
  }

  /** The cells of a column, a cell a row. */
  cells(name: string): readonly Cell[] {
    const known = this.#decoded.get(name);
    if (known) return known;
    const column = this.#columns.get(name);
    const cells = column ? this.#decode(column) : new Array<Cell>(this.rows).fill(null);
    this.#decoded.set(name, cells);
    return cells;
  }

  /** One cell, for whom a few rows are enough: the others of its column are not decoded. */
  cellAt(name: string, row: number): Cell {
    const known = this.#decoded.get(name);
    if (known) return known[row] ?? null;
    const column = this.#columns.get(name);
    if (!column || column.way === 'nothing') return null;
    const { kind, way, bytes } = column;
    if (way === 'raw' || way === 'stepped') return this.cells(name)[row] ?? null;
    const reader = new VarintReader(bytes);
    const nulls = readNulls(reader, this.rows);
    if (nulls?.[row]) return null;
    let [index, count] = [row, this.rows];
    nulls?.forEach((isNull, at) => {
      count -= isNull;
      if (at < row) index -= isNull;
    });
    if (way === 'constant') return readValues(reader, kind, 1)[0] ?? null;
    if (way === 'listed') return readValues(reader, kind, reader.read())[readPlanesAt(reader, count, index)] ?? null;
    let guess = 0;
    if (way !== 'direct') {
      const others = readTexts(reader).map((other) => (this.cellAt(other, row) ?? 0) as number);
      if (way === 'sum') for (const other of others) guess += other;
      else guess = quotientOf(others[0] ?? 0, others[1] ?? 0);
    }
    const number = readPlanesAt(reader, count, index) + guess;
    return kind === 'float' ? number / THOUSANDTHS : number;
  }

  #decode({ kind, way, bytes }: { kind: Kind; way: Way; bytes: Uint8Array }): Cell[] {
    if (way === 'nothing') return new Array<Cell>(this.rows).fill(null);
    const reader = new VarintReader(bytes);
    const nulls = readNulls(reader, this.rows);
    const count = nulls ? nulls.reduce((sum, isNull) => sum - isNull, this.rows) : this.rows;
    if (way === 'constant') return spread(nulls, new Array<Cell>(count).fill(readValues(reader, kind, 1)[0] ?? null));
    if (way === 'raw') return spread(nulls, readValues(reader, kind, count));
    if (way === 'listed') {
      const list = readValues(reader, kind, reader.read());
      return spread(nulls, readPlanes(reader, count), (place) => list[place as number] as Cell);
    }
    const names = way === 'sum' || way === 'quotient' ? readTexts(reader) : null;
    const numbers = readPlanes(reader, count);
    if (way === 'stepped') for (let i = 1; i < count; i++) (numbers[i] as number) += numbers[i - 1] as number;
    if (names) {
      const near: Near = way === 'sum' ? { sum: names } : { quotient: [names[0] ?? '', names[1] ?? ''] };
      const guess = guessesOf(near, this.rows, (other) => this.cells(other));
      if (!guess) throw new RangeError('a column is close to one that holds no numbers');
      for (let row = 0, index = 0; row < this.rows; row++)
        if (!nulls?.[row]) (numbers[index++] as number) += guess[row] as number;
    }
    if (kind === 'float') for (let i = 0; i < count; i++) numbers[i] = (numbers[i] as number) / THOUSANDTHS;
    return spread(nulls, numbers);
  }
}

/** What the columns that a column is close to make of each row; null where one of them holds no numbers. */
function guessesOf(near: Near, rows: number, cellsOf: (name: string) => readonly Cell[] | null): Float64Array | null {
  const guess = new Float64Array(rows);
  const columns = ('sum' in near ? near.sum : near.quotient).map((name) => cellsOf(name));
  if (columns.some((cells) => cells?.some((cell) => typeof cell === 'string') ?? false)) return null;
  if ('sum' in near) {
    for (const cells of columns)
      if (cells) for (let row = 0; row < rows; row++) (guess[row] as number) += (cells[row] ?? 0) as number;
    return guess;
  }
  const [dividends, divisors] = columns;
  for (let row = 0; row < rows; row++) {
    guess[row] = quotientOf((dividends?.[row] ?? 0) as number, (divisors?.[row] ?? 0) as number);
  }
  return guess;
}

const quotientOf = (dividend: number, divisor: number) =>
  divisor === 0 ? 0 : Math.round((dividend / divisor) * THOUSANDTHS);

/** Cells that are not null as whole numbers; null for floats that are no thousandths. */
function wholeNumbers(name: string, kind: Kind, cells: readonly Cell[]): Float64Array | null {
  const numbers = new Float64Array(cells.length);
  for (let index = 0; index < cells.length; index++) {
    const cell = cells[index];
    if (typeof cell !== 'number') throw new RangeError(`column ${name} holds what is no number`);
    const whole = kind === 'int' ? cell : Math.round(cell * THOUSANDTHS);
    // -0 and 0 would be written alike.
    if (Number.isSafeInteger(whole) && Object.is((whole + 0) / (kind === 'int' ? 1 : THOUSANDTHS), cell)) {
      numbers[index] = whole;
    } else if (kind === 'float') return null;
    else throw new RangeError(`column ${name} holds ${cell}, which is no whole number`);
  }
  return numbers;
}

/** The different values, in the order of their first cells; null where there are too many for a list. */
function listOf(cells: readonly Cell[]): Cell[] | null {
  const found = new Set<Cell>();
  for (const cell of cells) {
    found.add(cell);
    // -0 is a key like 0, and would come back as it.
    if (found.size > MOST_LISTED || Object.is(cell, -0)) return null;
  }
  return [...found];
}

function placesIn(cells: readonly Cell[], list: readonly Cell[]): Float64Array {
  const places = new Map(list.map((value, place) => [value, place]));
  const found = new Float64Array(cells.length);
  for (let index = 0; index < cells.length; index++) found[index] = places.get(cells[index] as Cell) as number;
  return found;
}

function steps(numbers: Float64Array): Float64Array {
  const found = Float64Array.from(numbers);
  for (let index = numbers.length - 1; index > 0; index--) (found[index] as number) -= numbers[index - 1] as number;
  return found;
}

function differences(numbers: Float64Array, close: Float64Array): Float64Array {
  const found = Float64Array.from(numbers);
  for (let index = 0; index < found.length; index++) (found[index] as number) -= close[index] as number;
  return found;
}

/** Puts nulls among values, or among what stands for them. */
function spread<Value extends Cell>(
  nulls: Uint8Array | null,
  values: ArrayLike<Value>,
  cellOf: (value: Value) => Cell = (value) => value,
): Cell[] {
  const rows = nulls?.length ?? values.length;
  const cells = new Array<Cell>(rows);
  for (let row = 0, index = 0; row < rows; row++) cells[row] = nulls?.[row] ? null : cellOf(values[index++] as Value);
  return cells;
}

/** Numbers as bytes: `cost` is about what they take compressed. */
type Planes = { width: number; bytes: Uint8Array; cost: number };

/** Signs go to the lowest bit, so that what is near to 0 is small. Null where a number is too large for one bit more. */
function planesOf(numbers: Float64Array): Planes | null {
  const rest = new Float64Array(numbers.length);
  let largest = 0;
  for (let index = 0; index < numbers.length; index++) {
    const value = numbers[index] as number;
    if (Math.abs(value) > LARGEST) return null;
    const zigzag = value < 0 ? value * -2 - 1 : value * 2;
    rest[index] = zigzag;
    if (zigzag > largest) largest = zigzag;
  }
  let width = 0;
  for (let limit = 1; limit <= largest; limit *= 256) width++;
  const bytes = new Uint8Array(width * numbers.length);
  let cost = 0;
  for (let plane = 0; plane < width; plane++) {
    const from = plane * numbers.length;
    for (let index = 0; index < numbers.length; index++) {
      const value = rest[index] as number;
      const higher = Math.floor(value / 256);
      bytes[from + index] = value - higher * 256;
      rest[index] = higher;
    }
    cost += entropyOf(bytes.subarray(from, from + numbers.length));
  }
  return { width, bytes, cost };
}

function entropyOf(bytes: Uint8Array): number {
  const counts = new Uint32Array(256);
  for (const byte of bytes) (counts[byte] as number)++;
  let bits = 0;
  for (const count of counts) if (count > 0) bits += count * Math.log2(bytes.length / count);
  return bits / 8;
}

function writePlanes(writer: VarintWriter, { width, bytes }: Planes): void {
  writer.write(width);
  writer.append(bytes);
}

function readPlanes(reader: VarintReader, count: number): Float64Array {
  const width = reader.read();
  const bytes = reader.take(width * count);
  const numbers = new Float64Array(count);
  for (let plane = width - 1; plane >= 0; plane--)
    for (let index = 0, from = plane * count; index < count; index++)
      numbers[index] = (numbers[index] as number) * 256 + (bytes[from + index] as number);
  for (let index = 0; index < count; index++) {
    const value = numbers[index] as number;
    numbers[index] = value % 2 === 1 ? -(value + 1) / 2 : value / 2;
  }
  return numbers;
}

/** One of them. */
function readPlanesAt(reader: VarintReader, count: number, index: number): number {
  const width = reader.read();
  const bytes = reader.take(width * count);
  let value = 0;
  for (let plane = width - 1; plane >= 0; plane--) value = value * 256 + (bytes[plane * count + index] as number);
  return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
}

/** 0 where there is none; else 1 and a bit a row. */
function writeNulls(writer: VarintWriter, cells: readonly Cell[]): void {
  if (!cells.includes(null)) {
    writer.write(0);
    return;
  }
  const bits = new Uint8Array(Math.ceil(cells.length / 8));
  cells.forEach((cell, row) => {
    if (cell === null) (bits[row >> 3] as number) |= 1 << (row & 7);
  });
  writer.write(1);
  writer.append(bits);
}

/** 1 for each row that is null. */
function readNulls(reader: VarintReader, rows: number): Uint8Array | null {
  if (reader.read() === 0) return null;
  const bits = reader.take(Math.ceil(rows / 8));
  const nulls = new Uint8Array(rows);
  for (let row = 0; row < rows; row++) nulls[row] = ((bits[row >> 3] as number) >> (row & 7)) & 1;
  return nulls;
}

/** Texts: their lengths, then their bytes. Numbers: eight bytes each. */
function writeValues(writer: VarintWriter, kind: Kind, values: readonly Cell[]): void {
  if (kind === 'text') {
    const texts = values.map((value) => Buffer.from(value as string));
    for (const bytes of texts) writer.write(bytes.length);
    for (const bytes of texts) writer.append(bytes);
    return;
  }
  writer.append(new Uint8Array(Float64Array.from(values as number[]).buffer));
}

function readValues(reader: VarintReader, kind: Kind, count: number): Cell[] {
  if (kind === 'text') {
    const lengths = Array.from({ length: count }, () => reader.read());
    return lengths.map((length) => Buffer.from(reader.take(length)).toString());
  }
  const bytes = Uint8Array.from(reader.take(count * 8));
  return [...new Float64Array(bytes.buffer)];
}

function writeText(writer: VarintWriter, text: string): void {
  const bytes = Buffer.from(text);
  writer.write(bytes.length);
  writer.append(bytes);
}

const readText = (reader: VarintReader) => Buffer.from(reader.take(reader.read())).toString();
const readTexts = (reader: VarintReader) => Array.from({ length: reader.read() }, () => readText(reader));
