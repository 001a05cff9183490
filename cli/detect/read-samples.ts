import type { Sample } from '#analysis/detection/sample.ts';
import { Columns } from './columns.ts';

/** The file's names: they are translated here and, for what is written, in `run.ts`. */
const COLUMNS = ['timestamp', 'target', 'province', 'carrier', 'dns_ms', 'connect_ms', 'tls_ms', 'ttfb_ms', 'ok'];
export const HEADER = COLUMNS.join(',');
/** A longer line is no line of this format; characters. */
const LONGEST_LINE = 4_096;
/** Epoch seconds up to the year 2106: what fits 32 bits. */
const LATEST = 2 ** 32 - 1;
/** A phase of more than a day is a mistake of units; ms. */
const LONGEST_PHASE = 86_400_000;

/** A file of samples that cannot be used; the message is a sentence for the person at the terminal. */
export class SampleFileError extends Error {
  override name = 'SampleFileError';
}

/**
 * Reads a file of samples, chunk by chunk; those of a series are sorted by time. Columns after the known ones are left out. Throws a
 * SampleFileError that names line and column.
 */
export async function readSamples(chunks: AsyncIterable<string>): Promise<Columns[]> {
  const reader = new Reader();
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) reader.line(line);
    if (rest.length > LONGEST_LINE) reader.fail(`longer than ${LONGEST_LINE} characters`);
  }
  if (rest !== '') reader.line(rest);
  return reader.end();
}

class Reader {
  readonly #series = new Map<string, Columns>();
  #number = 0;
  #key = '';
  /** Cells of a row: the known columns, and those that the header has after them. */
  #width = COLUMNS.length;
  #current: Columns | null = null;

  line(text: string): void {
    this.#number += 1;
    const line = text.endsWith('\r') ? text.slice(0, -1) : text;
    if (line.length > LONGEST_LINE) this.#reject(`longer than ${LONGEST_LINE} characters`);
    if (this.#number === 1) this.#header(line);
    else if (line !== '') this.#row(line.split(','));
  }

  /** About the line that is being read, which is not complete. */
  fail(problem: string): never {
    this.#number += 1;
    return this.#reject(problem);
  }

  end(): Columns[] {
    if (this.#number === 0) throw new SampleFileError(`the file is empty; its first line is to be ${HEADER}`);
    this.#current?.end();
    return [...this.#series.values()];
  }

  #header(line: string): void {
    const header = line.replace(/^\uFEFF/, '');
    const names = header.split(',');
    this.#width = names.length;
    const at = COLUMNS.findIndex((name, index) => names[index] !== name);
    if (at < 0) return;
    const seen = names[at] === undefined ? 'missing' : JSON.stringify(names[at]);
    this.#reject(
      `column ${at + 1} of the header is ${seen} instead of "${COLUMNS[at]}"; the header is to be ${HEADER}`,
    );
  }

  #row(cells: string[]): void {
    if (cells.length !== this.#width) {
      const more = this.#width > COLUMNS.length ? ` and ${this.#width - COLUMNS.length} more` : '';
      this.#reject(`${cells.length} cells instead of ${this.#width} (${HEADER}${more})`);
    }
    const [time, target, province, carrier, dns, connect, tls, firstByte, ok] = cells as [
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    const columns = this.#columnsOf({ target, province, carrier });
    const timestamp = this.#timestamp(time);
    if (ok !== '0' && ok !== '1') this.#rejectCell('ok', ok, 'neither 0 nor 1');
    this.#phase('dns_ms', dns);
    columns.add({
      timestamp,
      tcp: this.#phase('connect_ms', connect),
      tls: this.#phase('tls_ms', tls),
      firstByte: this.#phase('ttfb_ms', firstByte),
      ok: ok === '1',
    } satisfies Sample);
  }

  #columnsOf(names: { target: string; province: string; carrier: string }): Columns {
    const { target, province, carrier } = names;
    const key = `${target}\n${province}\n${carrier}`;
    if (this.#current !== null && key === this.#key) return this.#current;
    for (const [name, value] of Object.entries(names)) if (value === '') this.#rejectCell(name, value, 'empty');
    const known = this.#series.get(key);
    if (known) {
      this.#reject(`the rows of ${target} from ${province}, ${carrier} are not together`);
    }
    this.#current?.end();
    // Local time is that of China; a vantage has no other name than where it is.
    const vantage = `${province} ${carrier}`;
    this.#current = new Columns({ target, vantage, country: 'CN', region: province, carrier });
    this.#series.set(key, this.#current);
    this.#key = key;
    return this.#current;
  }

  #timestamp(cell: string): number {
    const timestamp = Number(cell);
    if (cell === '' || !Number.isInteger(timestamp) || timestamp < 0 || timestamp > LATEST) {
      this.#rejectCell('timestamp', cell, 'not a whole number of seconds since 1970');
    }
    return timestamp;
  }

  /** A duration in ms; null where the cell is empty. */
  #phase(name: string, cell: string): number | null {
    if (cell === '') return null;
    const value = Number(cell);
    if (!(value >= 0 && value <= LONGEST_PHASE) || cell.trim() !== cell) {
      this.#rejectCell(name, cell, 'not a number of milliseconds');
    }
    return value;
  }

  #rejectCell(column: string, cell: string, problem: string): never {
    return this.#reject(`column ${column}: ${JSON.stringify(cell.slice(0, 40))} is ${problem}`);
  }

  #reject(problem: string): never {
    throw new SampleFileError(`line ${this.#number}: ${problem}`);
  }
}
