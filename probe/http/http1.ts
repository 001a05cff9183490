import { Agent, type ClientRequest, type IncomingMessage, request as sendRequest } from 'node:http';
import type { TLSSocket } from 'node:tls';
import {
  AnswerError,
  type Exchange,
  type ExchangeOptions,
  headerText,
  isBodiless,
  MAX_ALT_SVC,
  MAX_BODY_BYTES,
  MAX_BODY_PIECES,
  MAX_ENCODING,
  MAX_HEADER_BYTES,
  MAX_INTERIM_ANSWERS,
  MAX_LOCATION,
  MAX_SERVER,
  type Origin,
  type ResponseBody,
  type ResponseHead,
  requestHeaders,
  tooManyPieces,
} from './exchange.ts';

/** Sends one request over HTTP/1.1 on the secured socket, which is kept for another one if it is to be used again. */
export function exchangeHttp1(options: ExchangeOptions): Exchange {
  return exchangeBy(options.reuse ? keeperOf(options.socket) : null, options);
}

/** Keeps the one socket while no request uses it. */
function keeperOf(socket: TLSSocket): Agent {
  const keeper = new Agent({ keepAlive: true, maxSockets: 1 });
  keeper.createConnection = () => socket;
  return keeper;
}

function exchangeBy(keeper: Agent | null, options: ExchangeOptions): Exchange {
  const { socket, tap, url, request, compression, now } = options;
  let bytes = 0;
  const arrival = () => tap.deliveredAt ?? now();
  const early = socket.readableLength > 0;
  tap.expectRequest();
  const connection = keeper ? 'keep-alive' : 'close';
  const headers = [['host', url.host], ...requestHeaders(request, compression), ['connection', connection]];
  // `agent: false` would ignore createConnection and connect by itself; left out, the socket is used.
  const message = sendRequest({
    ...(keeper ? { agent: keeper } : { createConnection: () => socket }),
    method: request.method,
    path: `${url.pathname}${url.search}`,
    headers: headers.flat(),
    maxHeaderSize: MAX_HEADER_BYTES,
  });
  const origins = originsOf(message, arrival, () => bytes);
  // An error of the request may come after the response has begun: a body that breaks the rules of HTTP, for one.
  const failed = new Promise<never>((_, reject) => {
    message.on('error', reject);
    if (early) reject(new AnswerError('http_protocol', 'the server answered before it was asked'));
  });
  failed.catch(() => {});
  const response = Promise.race([responseTo(message), failed]);
  const head = response.then((incoming) => headOf(incoming, origins.head(), request.method));
  const read = (incoming: IncomingMessage) => readBody(incoming, options, arrival, (length) => (bytes += length));
  const body = Promise.race([response.then(read), failed]);
  let keepAlive: boolean | null = null;
  let ended = false;
  // By its version, its headers and what ends the body (RFC 9112, section 9.3): Node has judged that by now.
  if (keeper) message.once('response', () => (keepAlive = message.shouldKeepAlive));
  body.then(({ bytes: read }) => (ended = read < MAX_BODY_BYTES)).catch(() => {});
  head.catch(() => {});
  body.catch(() => {});
  message.end(request.body ?? undefined);
  return {
    head,
    body,
    bytes: () => bytes,
    bodyStart: origins.body,
    keepAlive: () => keepAlive,
    http1Required: () => false,
    again: (onBody) =>
      keeper && keepAlive && ended && !socket.destroyed ? exchangeBy(keeper, { ...options, onBody }) : null,
    close: () => {
      keeper?.destroy();
      message.destroy();
    },
  };
}

/**
 * Notes where the final answer begins, before which an interim one may come in the same record or in its own, and where its
 * body does.
 */
function originsOf(
  message: ClientRequest,
  arrival: () => number,
  bytesRead: () => number,
): { head(): Origin; body(): Origin | null } {
  let latest: Origin | null = null;
  let first: Origin | null = null;
  let body: Origin | null = null;
  let response: IncomingMessage | null = null;
  let records = 0;
  let interim = 0;
  message.once('socket', (socket) => {
    // Before HTTP's own listener, which emits `response` within the same call.
    socket.prependListener('data', (chunk: Buffer) => {
      latest = { at: arrival(), plainBytes: chunk.length, nth: records++ };
      first ??= latest;
    });
    // After it: what the parser found of a body in this record waits to be read, or has been.
    socket.on('data', () => {
      if (response && (response.readableLength > 0 || bytesRead() > 0)) body ??= latest;
    });
  });
  message.on('information', () => {
    first = null;
    interim += 1;
    if (interim <= MAX_INTERIM_ANSWERS) return;
    const text = `the server sent more than ${MAX_INTERIM_ANSWERS} interim answers`;
    message.destroy(new AnswerError('http_too_large', text));
  });
  message.once('response', (incoming) => {
    response = incoming;
  });
  return { head: () => first ?? latest ?? { at: arrival(), plainBytes: 0, nth: 0 }, body: () => body };
}

function responseTo(message: ClientRequest): Promise<IncomingMessage> {
  return new Promise((settle, reject) => {
    message.once('response', settle);
    message.once('upgrade', () => reject(new AnswerError('http_protocol', 'the server switched protocols unasked')));
    message.once('close', () => reject(new Error('the connection closed before the response')));
  });
}

function headOf(incoming: IncomingMessage, origin: Origin, method: string): ResponseHead {
  const length = incoming.headers['content-length'];
  return {
    ...origin,
    status: finalStatus(incoming.statusCode),
    version: incoming.httpVersion === '1.0' ? '1.0' : '1.1',
    server: headerText(incoming.headers.server, MAX_SERVER),
    location: headerText(incoming.headers.location, MAX_LOCATION),
    encoding: headerText(incoming.headers['content-encoding'], MAX_ENCODING),
    altSvc: headerText(incoming.headers['alt-svc'], MAX_ALT_SVC),
    length: length === undefined || isBodiless(method, incoming.statusCode ?? null) ? null : Number(length),
  };
}

/** What no final answer may carry: 101 was not asked for, and below 100 there is no status. */
function finalStatus(status: number | undefined): number | null {
  if (status === undefined || status >= 200) return status ?? null;
  throw new AnswerError('http_protocol', `the server answered with status ${status}`);
}

/** Whether the body ends where the connection does, since nothing else says how long it is. */
function endsWithConnection(method: string, { headers, statusCode }: IncomingMessage): boolean {
  if (isBodiless(method, statusCode ?? null)) return false;
  return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;
}

function readBody(
  incoming: IncomingMessage,
  { request, tap, onBody }: ExchangeOptions,
  arrival: () => number,
  add: (length: number) => number,
): Promise<ResponseBody> {
  return new Promise((settle, reject) => {
    let over = false;
    let pieces = 0;
    const end = (bytes: number) => {
      over = true;
      settle({ at: arrival(), bytes });
    };
    incoming.on('data', (chunk: Buffer) => {
      if (over) return;
      pieces += 1;
      if (pieces > MAX_BODY_PIECES) incoming.destroy(tooManyPieces());
      onBody(chunk);
      const bytes = add(chunk.length);
      if (bytes >= MAX_BODY_BYTES) end(bytes);
    });
    incoming.once('end', () => {
      // TLS ends with a close_notify, before TCP does. Without it anybody on the way may have cut the body.
      const cut = endsWithConnection(request.method, incoming) && tap.ended;
      if (cut) reject(new AnswerError('http_closed', 'the connection ended without a close_notify'));
      else end(add(0));
    });
    incoming.on('error', reject);
    incoming.once('close', () => reject(new Error('the connection closed before the body was complete')));
  });
}
