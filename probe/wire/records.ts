/** Content types of TLS records (RFC 8446, section 5.1). */
export const RECORD = { changeCipherSpec: 20, alert: 21, handshake: 22, applicationData: 23, heartbeat: 24 } as const;

/** Largest length a record header may name: 2^14 plus the 2,048 bytes that TLS 1.2 allows for encryption. */
const MAX_RECORD_LENGTH = 16_384 + 2_048;
const HEADER_LENGTH = 5;

/** One complete record. `startedAt` and `at` are when its first and its last byte arrived. */
export type TlsRecord = { type: number; bytes: number; startedAt: number; at: number; index: number };

/** Called with each complete record, and with the payload bytes of the records whose type is asked for. */
export type RecordSink = {
  record(record: TlsRecord): void;
  /** A piece of a record's payload, in order; only called while `wantsPayload` says so for its type. */
  payload(type: number, piece: Uint8Array): void;
  wantsPayload(type: number): boolean;
};

/**
 * Splits one direction of a connection into TLS records, however its bytes are cut into chunks. It holds five bytes at
 * most, never throws, and stops for good at the first header that cannot be one: `garbled` then keeps that header.
 */
export class RecordReader {
  garbled: Buffer | null = null;
  /** Complete records so far. */
  count = 0;
  readonly #header = Buffer.alloc(HEADER_LENGTH);
  readonly #sink: RecordSink;
  #headerFilled = 0;
  #remaining = 0;
  #startedAt = 0;

  constructor(sink: RecordSink) {
    this.#sink = sink;
  }

  /** Takes the next bytes of this direction, which arrived at `at` (milliseconds). */
  push(chunk: Uint8Array, at: number): void {
    let offset = 0;
    while (offset < chunk.length && !this.garbled) {
      if (this.#headerFilled < HEADER_LENGTH) offset += this.#fillHeader(chunk, offset, at);
      else offset += this.#takePayload(chunk, offset);
      if (this.#headerFilled === HEADER_LENGTH && this.#remaining === 0) this.#finishRecord(at);
    }
  }

  #fillHeader(chunk: Uint8Array, offset: number, at: number): number {
    if (this.#headerFilled === 0) this.#startedAt = at;
    const taken = Math.min(HEADER_LENGTH - this.#headerFilled, chunk.length - offset);
    this.#header.set(chunk.subarray(offset, offset + taken), this.#headerFilled);
    this.#headerFilled += taken;
    if (this.#headerFilled === HEADER_LENGTH) this.#openRecord();
    else if (!plausibleType(this.#header[0])) this.garbled = Buffer.from(this.#header.subarray(0, this.#headerFilled));
    return taken;
  }

  #openRecord(): void {
    this.#remaining = this.#header.readUInt16BE(3);
    const plausible = plausibleType(this.#header[0]) && this.#header[1] === 3 && this.#remaining <= MAX_RECORD_LENGTH;
    if (!plausible) this.garbled = Buffer.from(this.#header);
  }

  #takePayload(chunk: Uint8Array, offset: number): number {
    const taken = Math.min(this.#remaining, chunk.length - offset);
    this.#remaining -= taken;
    const type = this.#header[0] ?? 0;
    if (this.#sink.wantsPayload(type)) this.#sink.payload(type, chunk.subarray(offset, offset + taken));
    return taken;
  }

  #finishRecord(at: number): void {
    if (this.garbled) return;
    this.#headerFilled = 0;
    const bytes = HEADER_LENGTH + this.#header.readUInt16BE(3);
    this.#sink.record({ type: this.#header[0] ?? 0, bytes, startedAt: this.#startedAt, at, index: this.count++ });
  }
}

function plausibleType(type: number | undefined): boolean {
  return type !== undefined && type >= RECORD.changeCipherSpec && type <= RECORD.heartbeat;
}
