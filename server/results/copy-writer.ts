const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
/** PostgreSQL counts from 2000-01-01. */
const EPOCH_MS = Date.UTC(2000, 0, 1);
const TWO_32 = 2 ** 32;
/** Room kept free for one row of fixed-size fields: 100 fields of 20 bytes at the most. */
const ROW_ROOM = 2_048;

/**
 * Writes rows in PostgreSQL's binary COPY format: numbers need no formatting here and no parsing there, which is what
 * makes ingest fast. Fields are written in the order of the column list; null is a field too.
 */
export class CopyWriter {
  #bytes: Buffer;
  #view: DataView;
  #at = SIGNATURE.length;

  constructor(estimatedBytes: number) {
    this.#bytes = Buffer.allocUnsafeSlow(estimatedBytes + SIGNATURE.length + ROW_ROOM);
    this.#view = new DataView(this.#bytes.buffer);
    SIGNATURE.copy(this.#bytes);
  }

  /** Begins a row of so many fields. */
  row(fields: number): void {
    this.#reserve(ROW_ROOM);
    this.#view.setInt16(this.#at, fields);
    this.#at += 2;
  }

  int2(value: number | null): void {
    if (this.#isNull(value)) return;
    this.#length(2);
    this.#view.setInt16(this.#at, value);
    this.#at += 2;
  }

  int4(value: number | null): void {
    if (this.#isNull(value)) return;
    this.#length(4);
    this.#view.setInt32(this.#at, value);
    this.#at += 4;
  }

  /** Milliseconds as whole microseconds in an int4. */
  micros(ms: number | null): void {
    this.int4(ms === null ? null : Math.round(ms * 1_000));
  }

  float8(value: number | null): void {
    if (this.#isNull(value)) return;
    this.#length(8);
    this.#view.setFloat64(this.#at, value);
    this.#at += 8;
  }

  bool(value: boolean | null): void {
    if (this.#isNull(value)) return;
    this.#length(1);
    this.#bytes[this.#at++] = value ? 1 : 0;
  }

  /** A timestamptz, from ms since 1970. */
  time(ms: number | null): void {
    if (this.#isNull(ms)) return;
    const micros = (ms - EPOCH_MS) * 1_000;
    const high = Math.floor(micros / TWO_32);
    this.#length(8);
    this.#view.setInt32(this.#at, high);
    this.#view.setUint32(this.#at + 4, micros - high * TWO_32);
    this.#at += 8;
  }

  uuid(value: string | null): void {
    if (this.#isNull(value)) return;
    this.#length(16);
    for (let at = 0; at < 36; at += 2) {
      // Dashes stand at 8, 13, 18 and 23.
      if (value.charCodeAt(at) === 45) at++;
      this.#bytes[this.#at++] = (hexDigit(value.charCodeAt(at)) << 4) | hexDigit(value.charCodeAt(at + 1));
    }
  }

  /** A bytea. */
  bytes(value: Uint8Array | null): void {
    if (this.#isNull(value)) return;
    this.#reserve(value.length + ROW_ROOM);
    this.#length(value.length);
    this.#bytes.set(value, this.#at);
    this.#at += value.length;
  }

  /** A jsonb, from its text. */
  jsonb(json: string): void {
    const size = Buffer.byteLength(json);
    this.#reserve(size + ROW_ROOM);
    this.#length(size + 1);
    this.#bytes[this.#at++] = 1;
    this.#at += this.#bytes.write(json, this.#at);
  }

  /** All that was written, closed. */
  finish(): Buffer {
    this.#view.setInt16(this.#at, -1);
    return this.#bytes.subarray(0, this.#at + 2);
  }

  /** Writes null where the value is. */
  #isNull(value: unknown): value is null {
    if (value !== null) return false;
    this.#length(-1);
    return true;
  }

  #length(value: number): void {
    this.#view.setInt32(this.#at, value);
    this.#at += 4;
  }

  #reserve(room: number): void {
    if (this.#at + room <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow((this.#bytes.length + room) * 2);
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}

/** The value of a hexadecimal digit, by its character code, in either case. */
function hexDigit(code: number): number {
  return code < 58 ? code - 48 : (code | 32) - 87;
}
