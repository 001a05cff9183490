const NOTHING = new Uint8Array(0);

/** Reads big-endian numbers from untrusted bytes. Past the end it gives zeroes and sets `failed`; it never throws. */
export class Cursor {
  failed = false;
  readonly #bytes: Uint8Array;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Bytes not read yet. */
  get left(): number {
    return this.#bytes.length - this.#offset;
  }

  u8(): number {
    return this.#number(1);
  }

  u16(): number {
    return this.#number(2);
  }

  u24(): number {
    return this.#number(3);
  }

  take(length: number): Uint8Array {
    if (length > this.left) {
      this.failed = true;
      this.#offset = this.#bytes.length;
      return NOTHING;
    }
    this.#offset += length;
    return this.#bytes.subarray(this.#offset - length, this.#offset);
  }

  #number(length: number): number {
    if (length > this.left) {
      this.take(length);
      return 0;
    }
    let value = 0;
    for (let end = this.#offset + length; this.#offset < end; this.#offset += 1) {
      value = value * 256 + (this.#bytes[this.#offset] ?? 0);
    }
    return value;
  }
}
