import { AnswerError, type Http1Head, Http1Reader, http1Request } from '#contract/http1-answer.ts';
import { Answer } from './answer.ts';
import {
  type Exchange,
  type ExchangeOptions,
  headerText,
  MAX_ALT_SVC,
  MAX_BODY_PIECES,
  MAX_ENCODING,
  MAX_HEADER_BYTES,
  MAX_INTERIM_ANSWERS,
  MAX_LOCATION,
  MAX_SERVER,
  type Origin,
  type ResponseHead,
  requestHeaders,
  tooManyPieces,
} from './exchange.ts';

/** Sends one request over HTTP/1.1 on the secured socket, and another one if it is to be used again. */
export function exchangeHttp1(options: ExchangeOptions): Exchange {
  return new Client(options).ask(options.onBody);
}

/** A connection on which one request after the other may be asked. */
class Client {
  readonly #options: ExchangeOptions;
  #asked: Asked | null = null;
  #records = 0;
  #closed = false;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    const { socket } = options;
    socket.on('data', (chunk: Buffer) => {
      this.#asked?.take(chunk, { at: this.#arrival(), plainBytes: chunk.length, nth: this.#records++ });
    });
    socket.on('error', (error) => this.#close(error));
    for (const event of ['end', 'close']) socket.once(event, () => this.#onEnd());
  }

  ask(onBody: ExchangeOptions['onBody']): Exchange {
    const { socket, tap, url, request, compression, reuse } = this.#options;
    const connection = ['connection', reuse ? 'keep-alive' : 'close'];
    const headers = [['host', url.host], ...requestHeaders(request, compression), connection];
    const asked = new Asked(request.method, () => this.#arrival(), onBody);
    const { answer, reader } = asked;
    this.#asked = asked;
    if (socket.readableLength > 0)
      answer.fail(new AnswerError('http_protocol', 'the server answered before it was asked'));
    tap.expectRequest();
    if (socket.destroyed) this.#close(new Error('the connection is closed'));
    else socket.write(http1Request(request.method, url, headers, request.body));
    const keepAlive = () => (reuse && asked.keepAlive !== null ? asked.keepAlive && !reader.hasExcess : null);
    return {
      head: answer.head.promise,
      body: answer.body.promise,
      bytes: () => answer.bytes,
      bodyStart: () => answer.bodyStart,
      keepAlive,
      http1Required: () => false,
      oddities: () => [...reader.oddities],
      again: (next) => (answer.complete && keepAlive() && !this.#closed && !socket.destroyed ? this.ask(next) : null),
      close: () => {
        answer.over = true;
      },
    };
  }

  #arrival(): number {
    return this.#options.tap.deliveredAt ?? this.#options.now();
  }

  #onEnd(): void {
    const { socket, tap } = this.#options;
    if (!this.#asked?.reader.endsWithConnection)
      this.#close(new Error('the connection closed before the answer was complete'));
    // TLS ends with a close_notify, before TCP does. Without it anybody on the way may have cut the body.
    else if (tap.ended) {
      this.#close(new AnswerError('http_closed', 'the connection ended without a close_notify'));
      // Else the socket would send its own close_notify to a closed connection, and fail.
      socket.destroy();
    } else this.#asked.answer.onEnd();
  }

  #close(error: unknown): void {
    this.#closed = true;
    if (this.#asked?.answer.over === false) this.#asked.answer.fail(error);
  }
}

/** One request, and its answer as it comes in. */
class Asked {
  readonly answer: Answer;
  readonly reader: Http1Reader;
  /** Whether the server keeps the connection, by its head; null before there is one. */
  keepAlive: boolean | null = null;
  /** The record that holds the bytes being read, and the one in which the newest head begins. */
  #record: Origin = { at: 0, plainBytes: 0, nth: 0 };
  #begin = this.#record;
  #pieces = 0;

  constructor(method: string, ...rest: ConstructorParameters<typeof Answer>) {
    this.answer = new Answer(...rest);
    this.reader = new Http1Reader({
      method,
      headBytes: MAX_HEADER_BYTES,
      interimAnswers: MAX_INTERIM_ANSWERS,
      onBegin: () => {
        this.#begin = this.#record;
      },
      onHead: (head) => {
        this.keepAlive = head.keepAlive;
        this.answer.head.resolve(headOf(head, this.#begin));
      },
      onBody: (piece) => {
        this.#pieces += 1;
        if (this.#pieces > MAX_BODY_PIECES) throw tooManyPieces();
        this.answer.onBody(piece, this.#record);
      },
      onEnd: () => this.answer.onEnd(),
    });
  }

  /** Takes the clear text of a record; behind a whole answer none should come. */
  take(chunk: Buffer, record: Origin): void {
    if (this.answer.over && !this.answer.complete) return;
    this.#record = record;
    try {
      this.reader.push(chunk);
    } catch (error) {
      if (!this.answer.over) this.answer.fail(error);
    }
  }
}

function headOf({ status, version, headers, length }: Http1Head, origin: Origin): ResponseHead {
  return {
    ...origin,
    status,
    version,
    server: headerText(headers.get('server'), MAX_SERVER),
    location: headerText(headers.get('location'), MAX_LOCATION),
    encoding: headerText(headers.get('content-encoding')?.join(', '), MAX_ENCODING),
    altSvc: headerText(headers.get('alt-svc')?.join(', '), MAX_ALT_SVC),
    length,
  };
}
