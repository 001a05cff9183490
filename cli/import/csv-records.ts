import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { StartError } from '../start-error.ts';

// The records of a CSV (RFC 4180) with the lines on which they begin. csv-parse reads them; this finds the delimiter, counts lines, and goes
// on behind a line whose quotes are wrong.

type Takers = {
  /** Is given a record. */
  take: (line: number, cells: string[]) => void;
  /** Is given a line that is no record, and why. */
  leave: (line: number, reason: string) => void;
  /** Whether a line that a quoted cell took in, parted by the delimiter alone, is a record itself. */
  isRecord: (cells: string[]) => boolean;
};

const OPTIONS = {
  record_delimiter: ['\r\n', '\n'],
  relax_column_count: true,
  // A quote inside a cell without quotes is a letter: 5" disk.
  relax_quotes: true,
  trim: true,
};
const NEW_LINE = 10;
const WRONG_QUOTES = 'has a quote that is not closed, or that is not doubled inside a cell';

/** A record took in lines that follow it. */
class TookMoreError extends Error {}

/** Reads all records, the header first. Empty lines are none. Throws StartError for a header whose quotes are wrong. */
export function readRecords(file: Buffer, { delimiter, begin }: Dialect, { take, leave, isRecord }: Takers): void {
  // Where the next record begins, and on which line.
  let [start, line, width] = [begin, 1 + linesIn(file.subarray(0, begin)), 0];
  for (;;) {
    const base = start;
    try {
      parse(file.subarray(base), {
        ...OPTIONS,
        delimiter,
        on_record: (cells: string[], { bytes }) => {
          const end = base + bytes;
          const raw = file.subarray(start, end);
          // The last byte may be the end of the record.
          if (width > 0 && raw.subarray(0, -1).includes(NEW_LINE)) {
            const [, ...later] = raw.toString().split('\n');
            if (cells.length !== width || later.some((each) => isRecord(each.split(delimiter))))
              throw new TookMoreError();
          }
          if (cells.length > 1 || cells[0] !== '') {
            width ||= cells.length;
            take(line, cells);
          }
          [start, line] = [end, line + linesIn(raw)];
          return null;
        },
      });
      return;
    } catch (error) {
      if (!(error instanceof CsvError || error instanceof TookMoreError)) throw error;
      if (width === 0) throw new StartError(`The header of the file, on line ${line}, ${WRONG_QUOTES}.`);
      leave(line, WRONG_QUOTES);
      const next = file.indexOf(NEW_LINE, start);
      if (next < 0) return;
      [start, line] = [next + 1, line + 1];
    }
  }
}

function linesIn(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEW_LINE); at >= 0; at = bytes.indexOf(NEW_LINE, at + 1)) lines += 1;
  return lines;
}

/** What parts cells, and where the header begins. */
type Dialect = { delimiter: string; begin: number };

/** The delimiter: what a first line `sep=;` says (Excel's), else that of comma, semicolon and tab of which the header has most. */
export function dialectOf(file: Buffer): Dialect {
  const end = file.indexOf(NEW_LINE);
  const first = file.subarray(0, end < 0 ? file.length : end).toString();
  const said = /^"?sep=(.)"?\r?$/.exec(first)?.[1];
  if (said) return { delimiter: said, begin: end < 0 ? file.length : end + 1 };
  const bare = first.replaceAll(/"[^"]*"/g, '');
  const counts = [',', ';', '\t'].map((delimiter) => ({ delimiter, count: bare.split(delimiter).length }));
  const { delimiter } = counts.reduce((most, each) => (each.count > most.count ? each : most));
  return { delimiter, begin: 0 };
}
