import { isUtf8 } from 'node:buffer';
import type { TLSSocket } from 'node:tls';
import { AnswerError } from '#contract/http1-answer.ts';
import { ENGINE_VERSION } from '#contract/result.ts';
import type { ProbeRequestSettings } from '#contract/target.ts';
import type { HttpOddity } from '#contract/vocabulary.ts';
import { fitting } from '../format.ts';
import type { Tap, TapLimits } from '../tls/tap.ts';

/** A body is read to its end or to this many bytes; what lies beyond is not fetched. */
export const MAX_BODY_BYTES = 1_048_576;

/** Added to what the handshake took: the body, its framing and headers, and room for tickets and control frames. */
export const HTTP_LIMITS: TapLimits = { bytesIn: MAX_BODY_BYTES * 2, bytesOut: 262_144, recordsIn: 40_000 };

/** Largest header block, in bytes, that a response may have. */
export const MAX_HEADER_BYTES = 65_536;

/** Most answers of status 1xx before the final one. */
export const MAX_INTERIM_ANSWERS = 100;

/** Most pieces (chunks of HTTP/1.1, DATA frames of HTTP/2) of a body: a whole one in pieces of 50 bytes. */
export const MAX_BODY_PIECES = 20_000;

/**
 * Which TLS record something began in: when its last byte arrived, its bytes in clear text, by which it is found again among
 * the records, and its number among those of the connection that held clear text.
 */
export type Origin = { at: number; plainBytes: number; nth: number };

/** The head of a final answer (no 1xx), and the record that holds its first byte. */
export type ResponseHead = Origin & {
  status: number | null;
  version: '1.0' | '1.1' | '2';
  server: string | null;
  location: string | null;
  encoding: string | null;
  altSvc: string | null;
  /** Bytes that the body has, by its content-length; null where nothing says so. */
  length: number | null;
};

/** How a body ended: when its last byte arrived, and how many bytes of it were read. */
export type ResponseBody = { at: number; bytes: number };

/**
 * One request in progress. The two promises settle in turn; `bytes` is what has been read so far, `bodyStart` the record
 * that holds the body's first byte (null as long as there is none), `keepAlive` whether the server keeps the connection for
 * another request (null where it was asked to close it). `http1Required` says that the server refused the request for being
 * HTTP/2; `oddities` what is odd about an answer of HTTP/1. `again` asks the same once more on the connection; null where the
 * answer has not ended or the connection is not kept.
 */
export type Exchange = {
  head: Promise<ResponseHead>;
  body: Promise<ResponseBody>;
  bytes(): number;
  bodyStart(): Origin | null;
  keepAlive(): boolean | null;
  http1Required(): boolean;
  oddities(): HttpOddity[];
  again(onBody: ExchangeOptions['onBody']): Exchange | null;
  close(): void;
};

/** What an exchange needs: the secured socket, its tap for the stamps, what to ask for, and who reads the body along. */
export type ExchangeOptions = {
  socket: TLSSocket;
  tap: Tap;
  url: URL;
  request: ProbeRequestSettings;
  /** Asks for a compressed body, as browsers do. */
  compression: boolean;
  /** Whether the connection is to serve another request. */
  reuse: boolean;
  now(): number;
  onBody(piece: Buffer): void;
};

export function tooManyPieces(): AnswerError {
  return new AnswerError('http_too_large', `the server sent the body in more than ${MAX_BODY_PIECES} pieces`);
}

/** What browsers name of the content codings that servers in wide use have. */
const COMPRESSIONS = 'br, gzip';
const USER_AGENT = `roundtrip/${ENGINE_VERSION}`;
/** Methods whose requests say how long their body is, even where there is none. */
const METHODS_WITH_BODY: readonly string[] = ['POST', 'PUT', 'PATCH'];

/**
 * The headers of the request, names in lower case, without those by which each version of HTTP says where it goes. Values are UTF-8,
 * a character a byte, as both versions hand headers over.
 */
export function requestHeaders(
  { method, headers, body }: ProbeRequestSettings,
  compression: boolean,
): [name: string, value: string][] {
  const given = headers.map(({ name, value }): [string, string] => [
    name.toLowerCase(),
    Buffer.from(value).toString('latin1'),
  ]);
  const ours: [string, string][] = [
    ['user-agent', USER_AGENT],
    ['accept', '*/*'],
    ...(compression ? [['accept-encoding', COMPRESSIONS] as [string, string]] : []),
  ];
  const length = body === null && !METHODS_WITH_BODY.includes(method) ? [] : [contentLength(body)];
  return [...ours.filter(([name]) => !given.some((each) => each[0] === name)), ...given, ...length];
}

function contentLength(body: string | null): [string, string] {
  return ['content-length', String(Buffer.byteLength(body ?? ''))];
}

/** Longest pieces of headers that are kept, in characters. */
export const MAX_LOCATION = 2_000;
export const MAX_SERVER = 256;
export const MAX_ALT_SVC = 256;
export const MAX_ENCODING = 64;

/** A header of one line, cut to `max` characters; null where there is none. Bytes that are UTF-8 are read as such. */
export function headerText(value: unknown, max: number): string | null {
  const text = Array.isArray(value) ? value[0] : value;
  if (typeof text !== 'string') return null;
  const ascii = /^[ -~]*$/.test(text);
  return fitting(ascii ? text : utf8(text), max);
}

/** Both versions of HTTP hand headers over as one character a byte. */
function utf8(text: string): string {
  const bytes = Buffer.from(text, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : text;
}
