import { MAX_BODY_BYTES, type Origin, type ResponseBody, type ResponseHead } from './exchange.ts';

/** The answer to one request while it comes in, of either version of HTTP. */
export class Answer {
  readonly head = Promise.withResolvers<ResponseHead>();
  readonly body = Promise.withResolvers<ResponseBody>();
  /** Bytes of the body so far, and the record that holds the first of them. */
  bytes = 0;
  bodyStart: Origin | null = null;
  /** Whether nothing more is of interest: the answer has ended, or as much of it as is read, or it has failed. */
  over = false;
  /** Whether it was read to its end. */
  complete = false;
  readonly #arrival: () => number;
  readonly #onPiece: (piece: Buffer) => void;

  /** `arrival` says when the bytes being read came, in ms of the clock; `onPiece` reads the body along. */
  constructor(arrival: () => number, onPiece: (piece: Buffer) => void) {
    this.#arrival = arrival;
    this.#onPiece = onPiece;
    // Each may fail before anything waits for it, or after.
    this.head.promise.catch(() => {});
    this.body.promise.catch(() => {});
  }

  onBody(piece: Buffer, origin: Origin): void {
    if (this.over) return;
    this.bodyStart ??= origin;
    this.bytes += piece.length;
    this.#onPiece(piece);
    if (this.bytes >= MAX_BODY_BYTES) this.#done();
  }

  onEnd(): void {
    if (this.over) return;
    this.complete = true;
    this.#done();
  }

  /** What is not settled yet fails. */
  fail(error: unknown): void {
    this.over = true;
    this.head.reject(error);
    this.body.reject(error);
  }

  #done(): void {
    this.over = true;
    this.body.resolve({ at: this.#arrival(), bytes: this.bytes });
  }
}
