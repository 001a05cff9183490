/**
 * HTTP/2 for one request (RFC 9113; why not Node's: decision 0019). `exchangeHttp2` writes preface, SETTINGS and request
 * at once. Records that come are cut into frames (frames.ts) and taken by the connection (connection.ts), which bounds
 * each kind, decodes header blocks (hpack.ts with huffman.ts and static-table.ts), acknowledges, sends the body as far as
 * the server's windows let it (send-window.ts) and hands head, body and end to the answer (answer.ts).
 */
import type { TLSSocket } from 'node:tls';
import { AnswerError } from '#contract/http1-answer.ts';
import type { ProbeRequestSettings } from '#contract/target.ts';
import { type Exchange, type ExchangeOptions, requestHeaders } from '../exchange.ts';
import { Http2Answer } from './answer.ts';
import { Http2Connection } from './connection.ts';
import { encodeFields, type Field } from './hpack.ts';

/** Headers that HTTP/2 does not allow, beyond those that no settings may hold (RFC 9113, section 8.2.2). */
const HTTP1_ONLY = ['proxy-connection', 'http2-settings'];
/** Headers that are sent as never-indexed literals (RFC 7541, section 7.1.3). */
const SECRET = ['authorization', 'cookie', 'proxy-authorization'];

/** How long an acknowledgement may wait: servers give up on one after seconds. */
const ACK_DELAY_MS = 50;

/**
 * Sends one request over HTTP/2 on the secured socket, and another one if it is to be used again. The client is our own: it knows in which record the answer begins
 * and bounds every kind of frame, which Node's does not, and it says all that is to be said in one write.
 */
export function exchangeHttp2(options: ExchangeOptions): Exchange {
  return new Client(options).ask(options.onBody);
}

/** A connection on which one request after the other may be asked. */
class Client {
  readonly #options: ExchangeOptions;
  readonly #connection = new Http2Connection();
  readonly #speaker: Speaker;
  #answer: Http2Answer | null = null;
  #records = 0;
  /** What ended the connection, or broke its rules. */
  #problem: unknown = null;

  constructor(options: ExchangeOptions) {
    const { socket } = options;
    this.#options = options;
    this.#speaker = new Speaker(socket, this.#connection);
    // A server may greet us before it is asked; an answer among those bytes is none to our request.
    for (let early = socket.read(); early !== null; early = socket.read()) this.#take(early);
  }

  ask(onBody: ExchangeOptions['onBody']): Exchange {
    const { socket, tap, url, request, compression, now } = this.#options;
    const isFirst = this.#answer === null;
    const answer = new Http2Answer(request.method, () => tap.deliveredAt ?? now(), onBody);
    this.#answer = answer;
    if (this.#problem !== null) answer.fail(this.#problem);
    tap.expectRequest();
    this.#connection.ask(headerBlock(url, request, compression), Buffer.from(request.body ?? ''), answer);
    this.#speaker.speak();
    if (isFirst) this.#listen(socket);
    return {
      head: answer.head.promise,
      body: answer.body.promise,
      bytes: () => answer.bytes,
      bodyStart: () => answer.bodyStart,
      keepAlive: () => this.#goesOn,
      http1Required: () => this.#connection.http1Required,
      oddities: () => [],
      again: (next) => (answer.complete && this.#goesOn ? this.ask(next) : null),
      close: () => {
        this.#speaker.stop();
        answer.over = true;
      },
    };
  }

  get #goesOn(): boolean {
    return this.#problem === null && !this.#connection.goingAway && !this.#options.socket.destroyed;
  }

  #listen(socket: TLSSocket): void {
    socket.on('data', (chunk: Buffer) => {
      this.#take(chunk);
      if (this.#answer?.over === false) this.#speaker.speakSoon();
    });
    const closed = () =>
      this.#fail(new AnswerError('http_closed', 'the connection closed before the answer was complete'));
    socket.on('error', (error) => this.#fail(error));
    socket.once('end', closed);
    socket.once('close', closed);
  }

  /** Between two answers the server may say that it goes away. */
  #take(chunk: Buffer): void {
    const { tap, now, reuse } = this.#options;
    if (this.#problem !== null || (this.#answer?.over && !reuse)) return;
    try {
      this.#connection.push(chunk, { at: tap.deliveredAt ?? now(), plainBytes: chunk.length, nth: this.#records++ });
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#problem ??= error;
    if (this.#answer?.over === false) this.#answer.fail(error);
  }
}

/**
 * Sends what the connection has to say. Acknowledgements wait a little: most often the answer is complete before, and
 * the write is saved.
 */
class Speaker {
  readonly #socket: TLSSocket;
  readonly #connection: Http2Connection;
  #timer: NodeJS.Timeout | undefined;

  constructor(socket: TLSSocket, connection: Http2Connection) {
    this.#socket = socket;
    this.#connection = connection;
  }

  speak(): void {
    this.stop();
    const bytes = this.#connection.takeOutgoing();
    if (bytes && !this.#socket.destroyed) this.#socket.write(bytes);
  }

  speakSoon(): void {
    const { waiting } = this.#connection;
    if (waiting === 'request') this.speak();
    else if (waiting === 'acknowledgements') this.#timer ??= setTimeout(() => this.speak(), ACK_DELAY_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

function headerBlock(url: URL, request: ProbeRequestSettings, compression: boolean): Buffer {
  const headers = requestHeaders(request, compression).filter(([name]) => !HTTP1_ONLY.includes(name));
  const fields: Field[] = [
    [':method', request.method],
    [':scheme', 'https'],
    [':authority', url.host],
    [':path', `${url.pathname}${url.search}`],
    ...headers,
  ];
  return encodeFields(fields, (name) => SECRET.includes(name));
}
