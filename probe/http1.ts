import { type IncomingMessage, request } from 'node:http';
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

/** Sends one GET over HTTP/1.1 on the secured socket. */
export function exchangeHttp1({ socket, tap, url, now }: ExchangeOptions): Exchange {
  let bytes = 0;
  let firstByteAt: number | null = null;
  const arrival = () => tap.deliveredAt ?? now();
  tap.expectRequest();
  // `agent: false` would ignore createConnection and connect by itself; left out, the socket is used.
  const message = request({
    createConnection: () => socket,
    method: 'GET',
    path: `${url.pathname}${url.search}`,
    headers: { host: url.host, 'user-agent': USER_AGENT, accept: '*/*', connection: 'close' },
    maxHeaderSize: MAX_HEADER_BYTES,
  });
  message.once('socket', () => {
    socket.once('data', () => {
      firstByteAt = arrival();
    });
  });
  const response = new Promise<IncomingMessage>((settle, reject) => {
    message.once('response', settle);
    message.on('error', reject);
    message.once('close', () => reject(new Error('the connection closed before the response')));
  });
  const head = response.then((incoming) => headOf(incoming, firstByteAt ?? arrival()));
  const body = response.then((incoming) => readBody(incoming, arrival, (length) => (bytes += length)));
  head.catch(() => {});
  body.catch(() => {});
  message.end();
  return { head, body, bytes: () => bytes, close: () => message.destroy() };
}

function headOf(incoming: IncomingMessage, at: number): ResponseHead {
  return {
    at,
    status: incoming.statusCode ?? null,
    version: incoming.httpVersion === '1.0' ? '1.0' : '1.1',
    server: headerText(incoming.headers.server, 256),
    location: headerText(incoming.headers.location, 2_000),
  };
}

function readBody(
  incoming: IncomingMessage,
  arrival: () => number,
  add: (length: number) => number,
): Promise<ResponseBody> {
  return new Promise((settle, reject) => {
    incoming.on('data', (chunk: Buffer) => {
      const bytes = add(chunk.length);
      if (bytes >= MAX_BODY_BYTES) settle({ at: arrival(), bytes });
    });
    incoming.once('end', () => settle({ at: arrival(), bytes: add(0) }));
    incoming.on('error', reject);
    incoming.once('close', () => reject(new Error('the connection closed before the body was complete')));
  });
}
