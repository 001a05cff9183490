const NOTHING = new Uint8Array(0);

/** Reads big-endian numbers from bytes of a stranger. Past the end it gives zeroes and sets `failed`; it never throws. */
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
    return this.take(1)[0] ?? 0;
  }

  u16(): number {
    const [high = 0, low = 0] = this.take(2);
    return high * 256 + low;
  }

  u24(): number {
    const [high = 0, middle = 0, low = 0] = this.take(3);
    return high * 65_536 + middle * 256 + low;
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
}
