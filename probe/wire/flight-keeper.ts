/** More than any handshake flight that a probe takes the time to read; what is beyond is not kept. */
const MAX_KEPT_BYTES = 131_072;
const MAX_KEPT_RECORDS = 64;

/**
 * Keeps copies of the payloads of encrypted records while `open`: at most 128 KiB and 64 records. A record cut into
 * pieces is joined when it ends.
 */
export class FlightKeeper {
  open = false;
  readonly records: Buffer[] = [];
  #pieces: Buffer[] = [];
  #bytes = 0;

  add(piece: Uint8Array): void {
    this.#bytes += piece.length;
    if (this.#bytes > MAX_KEPT_BYTES) this.#stop();
    else this.#pieces.push(Buffer.from(piece));
  }

  endRecord(): void {
    const [first, second] = this.#pieces;
    if (first) this.records.push(second ? Buffer.concat(this.#pieces) : first);
    this.#pieces = [];
    if (this.records.length >= MAX_KEPT_RECORDS) this.#stop();
  }

  #stop(): void {
    this.open = false;
    this.#pieces = [];
  }
}
