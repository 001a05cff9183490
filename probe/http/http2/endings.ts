import { AnswerError } from '../exchange.ts';
import type { Frame } from './frames.ts';

/** Error codes by number (RFC 9113, section 7). */
const CODES =
  'NO_ERROR PROTOCOL_ERROR INTERNAL_ERROR FLOW_CONTROL_ERROR SETTINGS_TIMEOUT STREAM_CLOSED FRAME_SIZE_ERROR REFUSED_STREAM CANCEL COMPRESSION_ERROR CONNECT_ERROR ENHANCE_YOUR_CALM INADEQUATE_SECURITY HTTP_1_1_REQUIRED'.split(
    ' ',
  );

/** An RST_STREAM of the stream of the request, or of one that has ended before. */
export function onReset({ stream, payload }: Frame, asked: number): void {
  if (payload.length !== 4) broken('sent an RST_STREAM of a wrong length');
  if (stream > Math.max(1, asked) || stream % 2 === 0) broken(`reset stream ${stream}, on which nothing was asked`);
  if (stream < asked) return;
  const code = payload.readUInt32BE(0);
  throw new AnswerError(
    orderly(code),
    `the server reset the stream with ${codeName(code)} before the answer was complete`,
  );
}

/** A GOAWAY; an orderly one may let the stream `asked` go on. */
export function onGoaway({ payload }: Frame, asked: number): void {
  if (payload.length < 8) broken('sent a GOAWAY of a wrong length');
  const code = payload.readUInt32BE(4);
  if (code === 0 && (payload.readUInt32BE(0) & 0x7fffffff) >= Math.max(1, asked)) return;
  throw new AnswerError(orderly(code), `the server ended the HTTP/2 connection with ${codeName(code)}`);
}

/** NO_ERROR and CANCEL say that the server wants no more, the others that something is wrong. */
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
