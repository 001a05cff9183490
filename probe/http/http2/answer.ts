import {
  AnswerError,
  headerText,
  isBodiless,
  MAX_ALT_SVC,
  MAX_BODY_BYTES,
  MAX_ENCODING,
  MAX_LOCATION,
  MAX_SERVER,
  type Origin,
  type ResponseBody,
  type ResponseHead,
} from '../exchange.ts';
import type { AnswerSink } from './connection.ts';
import type { Field } from './hpack.ts';

/** Lower-case names (RFC 9113, section 8.2), and no values that could pass for several headers. */
const NAME = /^:?[!#$%&'*+.^_`|~0-9a-z-]+$/;
const FORBIDDEN_IN_VALUE = /[\0\r\n]/;

/** Puts the answer to one request together as it comes in. */
export class Http2Answer implements AnswerSink {
  readonly head = Promise.withResolvers<ResponseHead>();
  readonly body = Promise.withResolvers<ResponseBody>();
  /** Bytes of the body so far, and the record that holds the first of them. */
  bytes = 0;
  bodyStart: Origin | null = null;
  /** Whether nothing more is of interest: the answer has ended, or as much of it as is read, or it has failed. */
  over = false;
  /** Whether it was read to its end. */
  complete = false;
  readonly #method: string;
  readonly #arrival: () => number;
  readonly #onPiece: (piece: Buffer) => void;
  #length: number | null = null;

  constructor(method: string, arrival: () => number, onPiece: (piece: Buffer) => void) {
    this.#method = method;
    this.#arrival = arrival;
    this.#onPiece = onPiece;
    // Each may fail while nobody waits for it yet, or any more.
    this.head.promise.catch(() => {});
    this.body.promise.catch(() => {});
  }

  onHead(fields: Field[], origin: Origin): void {
    const headers = new Map<string, string>();
    for (const [name, value] of fields) {
      if (!NAME.test(name) || FORBIDDEN_IN_VALUE.test(value))
        malformed(`the header ${JSON.stringify(name.slice(0, 80))}`);
      if (!headers.has(name)) headers.set(name, value);
    }
    const status = finalStatus(headers.get(':status'));
    const length = headers.get('content-length');
    if (length !== undefined && !/^\d{1,15}$/.test(length)) malformed('its content-length');
    if (length !== undefined && !isBodiless(this.#method, status)) this.#length = Number(length);
    this.head.resolve({
      ...origin,
      status,
      version: '2',
      server: headerText(headers.get('server'), MAX_SERVER),
      location: headerText(headers.get('location'), MAX_LOCATION),
      encoding: headerText(headers.get('content-encoding'), MAX_ENCODING),
      altSvc: headerText(headers.get('alt-svc'), MAX_ALT_SVC),
      length: this.#length,
    });
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
    if (this.#length !== null && this.#length !== this.bytes) {
      const message = `the body has ${this.bytes} bytes, and its content-length says ${this.#length}`;
      this.fail(new AnswerError('http_protocol', message));
    } else {
      this.complete = true;
      this.#done();
    }
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

function finalStatus(text: string | undefined): number {
  if (text === undefined || !/^\d{3}$/.test(text)) malformed(`the status ${JSON.stringify(text?.slice(0, 20) ?? '')}`);
  const status = Number(text);
  if (status < 200) throw new AnswerError('http_protocol', `the server answered with status ${status}`);
  return status;
}

function malformed(what: string): never {
  throw new AnswerError('http_protocol', `the server's answer is malformed: ${what}`);
}
