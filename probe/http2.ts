import { type ClientHttp2Stream, connect, constants, type IncomingHttpHeaders } from 'node:http2';
import {
  type Exchange,
  type ExchangeOptions,
  headerText,
  MAX_BODY_BYTES,
  MAX_HEADER_BYTES,
  type ResponseBody,
  type ResponseHead,
  USER_AGENT,
} from './http.ts';

/** Wide enough that our own flow control never slows the download of a body that we read to its end. */
const WINDOW_BYTES = MAX_BODY_BYTES * 2;

/** Sends one GET over HTTP/2 on the secured socket. */
export function exchangeHttp2({ socket, tap, url, now }: ExchangeOptions): Exchange {
  let bytes = 0;
  const arrival = () => tap.deliveredAt ?? now();
  tap.expectRequest();
  const session = connect(url.origin, {
    createConnection: () => socket,
    settings: { enablePush: false, initialWindowSize: WINDOW_BYTES, maxHeaderListSize: MAX_HEADER_BYTES },
    maxSessionMemory: 8,
  });
  session.once('connect', () => session.setLocalWindowSize(WINDOW_BYTES));
  const stream = session.request({
    [constants.HTTP2_HEADER_PATH]: `${url.pathname}${url.search}`,
    [constants.HTTP2_HEADER_AUTHORITY]: url.host,
    'user-agent': USER_AGENT,
    accept: '*/*',
  });
  const failed = new Promise<never>((_, reject) => {
    session.on('error', reject);
    stream.on('error', reject);
    session.once('goaway', (code) => {
      if (code !== 0) reject(new Error(`the server ended the HTTP/2 connection with code ${code}`));
    });
  });
  const head = Promise.race([headOf(stream, arrival), failed]);
  const body = Promise.race([readBody(stream, arrival, (length) => (bytes += length)), failed]);
  head.catch(() => {});
  body.catch(() => {});
  return { head, body, bytes: () => bytes, close: () => session.destroy() };
}

function headOf(stream: ClientHttp2Stream, arrival: () => number): Promise<ResponseHead> {
  return new Promise((settle, reject) => {
    stream.once('response', (headers: IncomingHttpHeaders & { ':status'?: number }) => {
      settle({
        at: arrival(),
        status: headers[':status'] || null,
        version: '2',
        server: headerText(headers.server, 256),
        location: headerText(headers.location, 2_000),
      });
    });
    stream.once('close', () => reject(new Error('the server closed the stream before the response')));
  });
}

function readBody(
  stream: ClientHttp2Stream,
  arrival: () => number,
  add: (length: number) => number,
): Promise<ResponseBody> {
  return new Promise((settle, reject) => {
    stream.on('data', (chunk: Buffer) => {
      const bytes = add(chunk.length);
      if (bytes >= MAX_BODY_BYTES) settle({ at: arrival(), bytes });
    });
    stream.once('end', () => {
      if (stream.rstCode === constants.NGHTTP2_NO_ERROR) settle({ at: arrival(), bytes: add(0) });
    });
    stream.once('close', () => reject(new Error('the server closed the stream before the body was complete')));
  });
}
