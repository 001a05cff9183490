import { AnswerError } from '#contract/http1-answer.ts';
import type { Frame } from './frames.ts';

/** Error codes by number (RFC 9113, section 7). */
const CODES =
  'NO_ERROR PROTOCOL_ERROR INTERNAL_ERROR FLOW_CONTROL_ERROR SETTINGS_TIMEOUT STREAM_CLOSED FRAME_SIZE_ERROR REFUSED_STREAM CANCEL COMPRESSION_ERROR CONNECT_ERROR ENHANCE_YOUR_CALM INADEQUATE_SECURITY HTTP_1_1_REQUIRED'.split(
    ' ',
  );

export const HTTP_1_1_REQUIRED = CODES.indexOf('HTTP_1_1_REQUIRED');

/** The code of an RST_STREAM of the stream `asked`; null where it is of one that has ended before. */
export function resetCode({ stream, payload }: Frame, asked: number): number | null {
  if (payload.length !== 4) broken('sent an RST_STREAM of a wrong length');
  if (stream > Math.max(1, asked) || stream % 2 === 0) broken(`reset stream ${stream}, on which nothing was asked`);
  return stream < asked ? null : payload.readUInt32BE(0);
}

export function resetBeforeEnd(code: number): AnswerError {
  const message = `the server reset the stream with ${codeName(code)} before the answer was complete`;
  return new AnswerError(orderly(code), message);
}

/** The code of a GOAWAY that ends the stream `asked`; null for an orderly one that lets it go on. */
export function goawayCode({ payload }: Frame, asked: number): number | null {
  if (payload.length < 8) broken('sent a GOAWAY of a wrong length');
  const code = payload.readUInt32BE(4);
  return code === 0 && (payload.readUInt32BE(0) & 0x7fffffff) >= Math.max(1, asked) ? null : code;
}

export function goneAway(code: number): AnswerError {
  return new AnswerError(orderly(code), `the server ended the HTTP/2 connection with ${codeName(code)}`);
}

/** NO_ERROR and CANCEL are a regular end by the server, the others an error. */
function orderly(code: number): 'http_closed' | 'http_protocol' {
  return code === 0 || code === 8 ? 'http_closed' : 'http_protocol';
}

function codeName(code: number): string {
  return CODES[code] ?? `code ${code}`;
}

/** The server breaks a rule of HTTP/2. */
export function broken(what: string): never {
  throw new AnswerError('http_protocol', `the server ${what}`);
}
