import type { HttpOddity } from './vocabulary.ts';

/** Characters of a header's name (RFC 9110, section 5.6.2), and those that no value may have beside the byte 0. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\x01-\x08\x0a-\x1f\x7f]/g;

/** What a line must begin with: of others is known that they are wrong before they end, if they ever do. Five bytes decide. */
const BEGINNINGS: Partial<Record<State, RegExp>> = {
  status: /^(\r?\n?|H(T(T(P(\/.*)?)?)?)?)$/is,
  gap: /^\r{0,4}\n?$/,
};

/** What is read next: a line of one of these kinds, bytes of the body, or nothing more. */
type State = 'status' | 'header' | 'size' | 'gap' | 'trailer' | 'body' | 'over';

/**
 * The head of a final answer: its header lines by name in lower case, one character a byte. `length` is what frames the
 * body, in bytes; null where something else does. `keepAlive`: whether the server keeps the connection.
 */
export type Http1Head = {
  version: '1.0' | '1.1';
  status: number;
  headers: Map<string, string[]>;
  length: number | null;
  keepAlive: boolean;
};

/**
 * How the answer to a request of this method is read: most bytes of a head (or of a line or trailers within the body), most
 * answers of status 1xx, and who receives it, in this order. `onBegin`: a head, interim or final, begins in the bytes being taken.
 */
export type Http1Reading = {
  method: string;
  headBytes: number;
  interimAnswers: number;
  onBegin?(): void;
  onHead?(head: Http1Head): void;
  onBody(piece: Buffer): void;
  onEnd(): void;
};

/** The answer breaks a rule of HTTP or a bound of its reader, or ends too early. */
export class AnswerError extends Error {
  readonly reason: 'http_protocol' | 'http_too_large' | 'http_closed';

  constructor(reason: AnswerError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** A request whose body, if any, has the length that its headers say; names and values hold no line break. */
export function http1Request(method: string, url: URL, headers: string[][], body: string | null): Buffer {
  const lines = [`${method} ${url.pathname}${url.search} HTTP/1.1`, ...headers.map((each) => each.join(': '))];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body ?? '')]);
}

/** Whether an answer to this method, with this status, has no body whatever its headers say. */
export function isBodiless(method: string, status: number | null): boolean {
  return method === 'HEAD' || status === 204 || status === 304;
}

/**
 * Reads the answer to one request of HTTP/1 (RFC 9112) as clients do: what is whole is taken, and what is odd about it noted.
 * Node's parser is made for servers, which must refuse whatever two readers could read differently. No I/O.
 */
export class Http1Reader {
  /** What is odd so far, in the order in which it was met. */
  readonly oddities = new Set<HttpOddity>();
  /** The final answer's, from the end of its status line on. */
  status: number | null = null;
  /** Its header lines so far, likewise. */
  headers: Http1Head['headers'] = new Map();
  readonly #reading: Http1Reading;
  #state: State = 'status';
  #line: Buffer[] = [];
  /** Bytes of lines since the head, the chunk's size or the trailers began. */
  #lineBytes = 0;
  #version: Http1Head['version'] = '1.1';
  #interim = 0;
  /** The values of the last header line's name: a folded line continues the last of them. */
  #values: string[] | null = null;
  #chunked = false;
  /** Bytes of the body, or of its chunk, that are to come; infinite where the connection's end ends it. */
  #left = 0;

  constructor(reading: Http1Reading) {
    this.#reading = reading;
  }

  /** Whether the answer has begun, and nothing but the end of the connection ends it. */
  get endsWithConnection(): boolean {
    return this.#state === 'body' && this.#left === Number.POSITIVE_INFINITY;
  }

  /** Whether bytes came that belong to no answer. */
  get hasExcess(): boolean {
    return this.oddities.has('excess_bytes') || this.oddities.has('unexpected_body');
  }

  /** Takes the next bytes. Throws an AnswerError; what was handed on until then stays true. */
  push(bytes: Buffer): void {
    for (let rest = bytes; rest.length > 0; ) {
      if (this.#state === 'over') {
        this.oddities.add(isBodiless(this.#reading.method, this.status) ? 'unexpected_body' : 'excess_bytes');
        return;
      }
      const taken = this.#state === 'body' ? this.#takeBody(rest) : this.#takeLine(rest);
      rest = rest.subarray(taken);
    }
  }

  #takeBody(rest: Buffer): number {
    const piece = rest.subarray(0, this.#left);
    this.#left -= piece.length;
    this.#reading.onBody(piece);
    if (this.#left === 0 && this.#chunked) this.#state = 'gap';
    else if (this.#left === 0) this.#end();
    return piece.length;
  }

  #takeLine(rest: Buffer): number {
    const end = rest.indexOf('\n');
    const piece = end === -1 ? rest : rest.subarray(0, end + 1);
    if (this.#state === 'status' && this.#line.length === 0) this.#reading.onBegin?.();
    this.#line.push(piece);
    this.#lineBytes += piece.length;
    const { headBytes } = this.#reading;
    if (this.#lineBytes > headBytes) {
      if (this.#state === 'size') malformed(`the line of a chunk's size has more than ${headBytes} bytes`);
      throw new AnswerError('http_too_large', `the header block takes more than ${headBytes} bytes`);
    }
    const beginning = BEGINNINGS[this.#state];
    if (beginning && this.#line.length <= 5 && !beginning.test(latin1(Buffer.concat(this.#line))))
      malformed(this.#state === 'gap' ? 'a chunk is longer than its size' : 'it does not begin with HTTP/');
    if (end === -1) return piece.length;
    const line = latin1(Buffer.concat(this.#line)).slice(0, -1);
    this.#line = [];
    let { length } = line;
    while (line[length - 1] === '\r') length -= 1;
    if (length === line.length) this.oddities.add('bare_lf');
    else if (length < line.length - 1) this.#onRepeatedCr();
    this.#onLine(line.slice(0, length));
    return piece.length;
  }

  /** Clients do not take it within trailers. */
  #onRepeatedCr(): void {
    if (this.#state === 'trailer') malformed('a line of its trailers ends with CR CR LF');
    this.oddities.add('repeated_cr');
  }

  #onLine(line: string): void {
    if (this.#state === 'size') this.#onSize(line);
    else if (this.#state === 'gap') this.#expect('size');
    else if (this.#state === 'trailer') line === '' && this.#end();
    else if (line.includes('\0')) malformed('its head holds a byte 0');
    else if (this.#state === 'status') line !== '' && this.#onStatus(line);
    else if (line !== '') this.#onHeader(line);
    else if (this.status === null) this.#expect('status');
    else this.#onHeadEnd(this.status);
  }

  #expect(state: State): void {
    this.#state = state;
    this.#lineBytes = 0;
  }

  #onStatus(line: string): void {
    const [, version = '', code = ''] = /^HTTP\/(1\.\d|2(?:\.0)?) +(\d{3})(?: .*)?$/is.exec(line) ?? [];
    if (code === '') malformed(`its status line is ${shown(line)}`);
    if (!line.startsWith('HTTP/1')) this.oddities.add('status_line');
    this.#version = version === '1.0' ? '1.0' : '1.1';
    this.headers = new Map();
    this.#values = null;
    this.#state = 'header';
    const status = Number(code);
    if (status === 101) throw new AnswerError('http_protocol', 'the server switched protocols unasked');
    if (status < 100) throw new AnswerError('http_protocol', `the server answered with status ${status}`);
    const most = this.#reading.interimAnswers;
    if (status >= 200) this.status = status;
    else if (++this.#interim > most)
      throw new AnswerError('http_too_large', `the server sent more than ${most} interim answers`);
  }

  #onHeader(line: string): void {
    const text = line.replace(CONTROL, ' ');
    if (text !== line) this.oddities.add('header_characters');
    if (text.startsWith(' ') || text.startsWith('\t')) {
      if (this.#values === null) malformed('its first header line is the continuation of another');
      this.oddities.add('folded_header');
      const [before = '', more] = [this.#values.pop(), trimmed(text)];
      this.#values.push(before && more ? `${before} ${more}` : before + more);
      return;
    }
    const colon = text.indexOf(':');
    if (colon === -1) malformed(`the header line ${shown(text)} has no colon`);
    const name = text.slice(0, colon);
    if (!NAME.test(name)) this.oddities.add('header_characters');
    const key = trimmed(name).toLowerCase();
    this.#values = this.headers.get(key) ?? [];
    this.headers.set(key, this.#values);
    this.#values.push(trimmed(text.slice(colon + 1)));
  }

  #onHeadEnd(status: number): void {
    const codings = this.#listOf('transfer-encoding').filter((coding) => coding !== '' && coding !== 'identity');
    const lengths = this.#listOf('content-length');
    const bodiless = isBodiless(this.#reading.method, status);
    if (codings.length > 0 && lengths.length > 0) this.oddities.add('both_lengths');
    const length = bodiless || codings.length > 0 ? null : this.#agreedLength(lengths);
    this.#chunked = codings.at(-1) === 'chunked';
    this.#left = length ?? Number.POSITIVE_INFINITY;
    const options = this.#listOf('connection');
    const wanted = !options.includes('close') && (this.#version === '1.1' || options.includes('keep-alive'));
    const keepAlive = wanted && (bodiless || this.#chunked || length !== null);
    this.#reading.onHead?.({ version: this.#version, status, headers: this.headers, length, keepAlive });
    if (bodiless || length === 0) this.#end();
    else this.#expect(this.#chunked ? 'size' : 'body');
  }

  /** The values of a header that is a list, in lower case, whatever lines they stand on. */
  #listOf(name: string): string[] {
    const lines = this.headers.get(name) ?? [];
    return lines.flatMap((line) => line.split(',')).map((each) => trimmed(each).toLowerCase());
  }

  /** Of each value the number that it begins with, as clients read it. */
  #agreedLength(values: string[]): number | null {
    const told = values.filter((value, at) => at === 0 || value !== '');
    const [first = null, ...others] = new Set(told.map((value) => Number(/^\+?(\d+)/.exec(value)?.[1] ?? Number.NaN)));
    if (Number.isNaN(first) || others.length > 0) malformed(`its content-length is ${shown(values.join(', '))}`);
    if (told.length > 1) this.oddities.add('repeated_length');
    if (values.some((value) => !/^\d+$/.test(value))) this.oddities.add('length_characters');
    return first;
  }

  #onSize(line: string): void {
    const [, digits = '', space, extension] = /^([0-9a-f]+)([ \t]*)(;.*)?$/is.exec(line) ?? [];
    const size = Number.parseInt(digits, 16);
    if (!(size <= 2 ** 64)) malformed(`a chunk's size is ${shown(line)}`);
    if (space && extension === undefined) this.oddities.add('chunk_size_space');
    this.#left = size;
    this.#expect(size === 0 ? 'trailer' : 'body');
  }

  #end(): void {
    this.#state = 'over';
    this.#reading.onEnd();
  }
}

const latin1 = (bytes: Buffer) => bytes.toString('latin1');
const shown = (text: string) => JSON.stringify(text.slice(0, 80));

/** Without the white space of HTTP around it: `trim` would take bytes of UTF-8 too. */
function trimmed(text: string): string {
  const isSpace = (at: number) => text[at] === ' ' || text[at] === '\t';
  let [from, to] = [0, text.length];
  while (from < to && isSpace(from)) from += 1;
  while (to > from && isSpace(to - 1)) to -= 1;
  return text.slice(from, to);
}

/** Throws an AnswerError that says what is malformed. */
export function malformed(what: string): never {
  throw new AnswerError('http_protocol', `the server's answer is malformed: ${what}`);
}
