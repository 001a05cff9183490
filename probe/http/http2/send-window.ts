const LARGEST_WINDOW = 2 ** 31 - 1;

/** The request's body, and how much of it the server lets us send: by stream and by connection (RFC 9113, section 5.2). */
export class SendWindow {
  #connection: number;
  #stream: number;
  #left: Buffer;

  constructor(connection: number, stream: number, body: Buffer) {
    this.#connection = connection;
    this.#stream = stream;
    this.#left = body;
  }

  /** The server changed the size of a stream's first window by this much. */
  resize(by: number): void {
    this.#stream += by;
  }

  /** The server takes `more` bytes; false where that is more than a window may hold. */
  widen(wholeConnection: boolean, more: number): boolean {
    if (wholeConnection) this.#connection += more;
    else this.#stream += more;
    return this.#connection <= LARGEST_WINDOW && this.#stream <= LARGEST_WINDOW;
  }

  /** The next piece that may be sent, of `max` bytes at most; null where there is none, or none yet. */
  next(max: number): { bytes: Buffer; last: boolean } | null {
    const length = Math.min(max, this.#connection, this.#stream, this.#left.length);
    if (length <= 0) return null;
    const bytes = this.#left.subarray(0, length);
    this.#left = this.#left.subarray(length);
    this.#connection -= length;
    this.#stream -= length;
    return { bytes, last: this.#left.length === 0 };
  }
}
