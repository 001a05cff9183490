// Whole numbers from 0 to 2^53 as LEB128: seven bits a byte, the lowest first. Not with shifts: a sum may exceed 32 bits.

/** Most bytes of one number. */
const LONGEST = 8;

/** Bytes in the making; they grow as needed. */
export class VarintWriter {
  #bytes: Uint8Array;
  #at = 0;

  constructor(size = 256) {
    this.#bytes = new Uint8Array(size);
  }

  get length(): number {
    return this.#at;
  }

  write(value: number): void {
    this.#reserve(LONGEST);
    const bytes = this.#bytes;
    let rest = value;
    while (rest >= 128) {
      bytes[this.#at++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    bytes[this.#at++] = rest;
  }

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** A copy of what was written; empties the writer. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#at));
    this.#at = 0;
    return taken;
  }

  #reserve(more: number): void {
    if (this.#at + more <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#at + more));
    larger.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = larger;
  }
}

/** Reads numbers one after the other. Throws a RangeError where the bytes are cut short. */
export class VarintReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  read(): number {
    const bytes = this.#bytes;
    let byte = bytes[this.#at++];
    if (byte === undefined) throw new RangeError('a number is cut short');
    if (byte < 128) return byte;
    let value = byte & 127;
    let scale = 128;
    for (;;) {
      byte = bytes[this.#at++];
      if (byte === undefined) throw new RangeError('a number is cut short');
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  }

  /** The next bytes, in place. */
  take(length: number): Uint8Array {
    const from = this.#at;
    this.#at += length;
    if (this.#at > this.#bytes.length) throw new RangeError('bytes are cut short');
    return this.#bytes.subarray(from, this.#at);
  }
}
