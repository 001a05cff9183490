import { setImmediate as breathe } from 'node:timers/promises';
import { crc32 } from 'node:zlib';

/** Begins a record as in RFC 7464: JSON never holds this byte, so reading finds the next record behind any damage. */
const RECORD_SEPARATOR = 0x1e;
const NEWLINE = 10;
/** Separator, checksum as eight hexadecimal digits, space. */
const HEAD_BYTES = 10;
/** So many records are read before probes in flight get to stamp their arrivals. */
const RECORDS_A_TURN = 25;

/** Good lines in order, where reading goes on, and how many records were torn or flipped among them. */
export type Cut = { lines: string[]; end: number; torn: number };

/** A line of JSON as a record: separator, CRC-32 of the JSON's bytes, space, JSON, newline. */
export function toRecord(line: string): Buffer {
  const record = Buffer.from(`\x1e00000000 ${line}\n`);
  record.write(checksumOf(record.subarray(HEAD_BYTES, -1)), 1, 'latin1');
  return record;
}

/** The JSON of a record that `toRecord` made. */
export function lineOf(record: Buffer): string {
  return record.toString('utf8', HEAD_BYTES, record.length - 1);
}

/** Finds the record at `at`: its JSON, or null where it is damaged; where the next one begins; how many were torn on the way. */
function readRecord(bytes: Buffer, at: number): { line: string | null; end: number; torn: number } {
  const next = bytes.indexOf(RECORD_SEPARATOR, at + 1);
  const end = next < 0 ? bytes.length : next;
  const record = bytes.subarray(at, end);
  const newline = record.indexOf(NEWLINE);
  if (record[0] !== RECORD_SEPARATOR || newline < HEAD_BYTES) return { line: null, end, torn: 1 };
  const json = record.subarray(HEAD_BYTES, newline);
  if (record.toString('latin1', 1, HEAD_BYTES) !== `${checksumOf(json)} `) return { line: null, end, torn: 1 };
  // What follows the newline was a record whose separator is damaged.
  return { line: json.toString('utf8'), end, torn: newline + 1 < record.length ? 1 : 0 };
}

/** Up to `max` good records of `bytes` from `start` on. Never throws, whatever the bytes are. */
export async function cut(bytes: Buffer, start: number, max: number): Promise<Cut> {
  const lines: string[] = [];
  let [end, torn, turn] = [start, 0, 0];
  while (lines.length < max && end < bytes.length) {
    const record = readRecord(bytes, end);
    end = record.end;
    torn += record.torn;
    if (record.line !== null) lines.push(record.line);
    turn += 1;
    if (turn % RECORDS_A_TURN === 0) await breathe();
  }
  return { lines, end, torn };
}

function checksumOf(json: Buffer): string {
  return crc32(json).toString(16).padStart(8, '0');
}
