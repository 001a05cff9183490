import { type IncomingMessage, request } from 'node:http';
import { ProbeFailure } from './failure.ts';
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
import type { Tap } from './tap.ts';

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
  // An error of the request may come after the response has begun: a body that breaks the rules of HTTP, for one.
  const failed = new Promise<never>((_, reject) => message.on('error', reject));
  failed.catch(() => {});
  const response = new Promise<IncomingMessage>((settle, reject) => {
    message.once('response', settle);
    message.once('error', reject);
    message.once('upgrade', () => reject(protocolFailure('the server switched protocols unasked')));
    message.once('close', () => reject(new Error('the connection closed before the response')));
  });
  const head = response.then((incoming) => headOf(incoming, firstByteAt ?? arrival()));
  const body = Promise.race([
    response.then((incoming) => readBody(incoming, tap, arrival, (length) => (bytes += length))),
    failed,
  ]);
  head.catch(() => {});
  body.catch(() => {});
  message.end();
  return { head, body, bytes: () => bytes, close: () => message.destroy() };
}

function headOf(incoming: IncomingMessage, at: number): ResponseHead {
  return {
    at,
    status: finalStatus(incoming.statusCode),
    version: incoming.httpVersion === '1.0' ? '1.0' : '1.1',
    server: headerText(incoming.headers.server, 256),
    location: headerText(incoming.headers.location, 2_000),
  };
}

/** What no final answer may carry: 101 was not asked for, and below 100 there is no status. */
function finalStatus(status: number | undefined): number | null {
  if (status !== undefined && status < 200) throw protocolFailure(`the server answered with status ${status}`);
  return status ?? null;
}

function protocolFailure(message: string): ProbeFailure {
  return new ProbeFailure('firstByte', 'http_protocol', 'target', message);
}

/** Whether the body ends where the connection does, since nothing else says how long it is. */
function endsWithConnection({ headers, statusCode }: IncomingMessage): boolean {
  const bodiless = statusCode === 204 || statusCode === 304;
  return !bodiless && headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;
}

function readBody(
  incoming: IncomingMessage,
  tap: Tap,
  arrival: () => number,
  add: (length: number) => number,
): Promise<ResponseBody> {
  return new Promise((settle, reject) => {
    incoming.on('data', (chunk: Buffer) => {
      const bytes = add(chunk.length);
      if (bytes >= MAX_BODY_BYTES) settle({ at: arrival(), bytes });
    });
    incoming.once('end', () => {
      // TLS ends with a close_notify, before TCP does. Without it anybody on the way may have cut the body.
      if (endsWithConnection(incoming) && tap.ended) reject(new Error('the connection ended without a close_notify'));
      else settle({ at: arrival(), bytes: add(0) });
    });
    incoming.on('error', reject);
    incoming.once('close', () => reject(new Error('the connection closed before the body was complete')));
  });
}
