import { validateHeaderValue } from 'node:http';
import type { Socket } from 'node:net';
import nodemailer from 'nodemailer';
import { AnswerError, Http1Reader, http1Request } from '#contract/http1-answer.ts';
import { AddressError, checkedAddresses, type Resolve } from './address-guard.ts';
import { connectToAny } from './connect.ts';
import type { Answer, HttpOutgoing, MailOutgoing, Outgoing } from './outgoing.ts';

/** Longest attempt in milliseconds, from the look-up of the name to the last byte of the answer. */
export const TIMEOUT_MS = 20_000;

/** `answer` is null where none came; `error` then says why. */
export type Sent = { answer: Answer | null; error: string | null; durationMs: number };

/** How long an attempt may go on once its process was asked to end, in milliseconds. */
const STOP_GRACE_MS = 5_000;

/**
 * `signal` asks the process to end: what is under way then has a few seconds left. `allowPrivate` lets HTTP go to addresses
 * that are not public. `attempt` counts from 1: each begins with another address, since the first may take connections and answer nothing.
 */
export type SendOptions = {
  timeoutMs?: number;
  resolve?: Resolve;
  signal?: AbortSignal;
  allowPrivate?: boolean;
  attempt?: number;
};

/** Makes one attempt. Never throws: what goes wrong is the attempt's error. */
export async function send(outgoing: Outgoing, options: SendOptions = {}): Promise<Sent> {
  const started = performance.now();
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  let grace: NodeJS.Timeout | undefined;
  const onStop = () => {
    grace = setTimeout(() => over.abort(new Error('the sending process was asked to end')), STOP_GRACE_MS);
  };
  options.signal?.addEventListener('abort', onStop, { once: true });
  const sent = (answer: Answer | null, error: string | null): Sent => ({
    answer,
    error,
    durationMs: Math.round((performance.now() - started) * 10) / 10,
  });
  try {
    const { resolve, allowPrivate, attempt = 1 } = options;
    const way = { signal: over.signal, timeoutMs, resolve, allowPrivate, attempt };
    return sent(await (outgoing.kind === 'http' ? postHttp(outgoing, way) : sendMail(outgoing, way)), null);
  } catch (error) {
    return sent(null, over.signal.aborted ? over.signal.reason.message : failureOf(error));
  } finally {
    clearTimeout(timer);
    clearTimeout(grace);
    options.signal?.removeEventListener('abort', onStop);
  }
}

// What Node and OpenSSL say is right but seldom plain. Their words stay in brackets.

const CERTIFICATE =
  /^(CERT_|DEPTH_ZERO_|SELF_SIGNED|UNABLE_TO_|ERR_TLS_CERT_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/;

const PLAIN: [RegExp, string][] = [
  [/^ENOTFOUND$|^EAI_NODATA$/, 'the name does not resolve'],
  [/^EAI_/, 'the name cannot be looked up now'],
  [/^ECONNREFUSED$/, 'nothing listens there'],
  [/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'the address cannot be reached'],
  [CERTIFICATE, 'the certificate is not trusted'],
  [/^EPROTO$|^ERR_SSL_/, 'TLS failed'],
  [/^(ECONNRESET|EPIPE)$/, 'the connection was closed before an answer'],
];

/** Why an attempt brought no answer, in words for the log. */
export function failureOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Of a name whose addresses were all tried: each has its reason.
  if (error instanceof AggregateError) return [...new Set(error.errors.map(failureOf))].join('; ');
  if (error instanceof AddressError) return error.message;
  if (error instanceof AnswerError) return `the answer is not HTTP (${error.message})`;
  const code = 'code' in error ? String(error.code) : '';
  const plain = plainOf(code);
  const words = error.message || code || error.name;
  return plain ? `${plain} (${words})` : words;
}

const plainOf = (code: string) => PLAIN.find(([pattern]) => pattern.test(code))?.[1];

/** Most bytes of an answer's body that are read; the connection is closed then. */
export const MAX_ANSWER_BYTES = 65_536;
/** Most bytes of an answer's headers that are read, of one with more the status alone is known; most answers of status 1xx. */
const LIMITS = { headBytes: 16_384, interimAnswers: 100 };

/** `timeoutMs` is how long all of it may take, until `signal` ends it; `allowPrivate`: also to addresses that are not public. */
type Way = {
  signal: AbortSignal;
  timeoutMs: number;
  resolve: Resolve | undefined;
  allowPrivate: boolean | undefined;
  attempt: number;
};

/** The checked addresses of the host, those that earlier attempts began with last. */
async function addressesOf(host: string, { signal, resolve, allowPrivate, attempt }: Way) {
  const addresses = await untilAborted(checkedAddresses(host, resolve, { allowPrivate }), signal);
  const first = (attempt - 1) % addresses.length;
  return [...addresses.slice(first), ...addresses.slice(0, first)];
}

/**
 * Posts to the first of the checked addresses of the URL's host that can be connected to. Redirects are not followed: a 3xx is an
 * answer like any other. Throws where no answer came.
 */
async function postHttp(outgoing: HttpOutgoing, way: Way): Promise<Answer> {
  const url = new URL(outgoing.url);
  const secure = url.protocol === 'https:';
  const { hostname: host } = url;
  const port = Number(url.port) || (secure ? 443 : 80);
  const addresses = await addressesOf(host, way);
  const socket = await connectToAny(addresses, { host, port, secure, protocols: ['http/1.1'] }, way);
  const headers = {
    ...outgoing.headers,
    host: url.host,
    'user-agent': 'Roundtrip-Webhooks/1',
    'content-length': String(Buffer.byteLength(outgoing.body)),
    // A connection of its own each time: a kept one might be to an address that was checked long ago.
    connection: 'close',
  };
  for (const [name, value] of Object.entries(headers)) validateHeaderValue(name, value);
  return await exchange(socket, http1Request('POST', url, Object.entries(headers), outgoing.body), way.signal);
}

/**
 * Sends the request and reads the answer. A receiver that sent a status has answered: where the rest cannot be read, breaks off
 * or does not end in time there is less of it, but what was taken is not sent again. Throws where no status came.
 */
async function exchange(socket: Socket, request: Buffer, signal: AbortSignal): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let body = Buffer.alloc(0);
  const reader = new Http1Reader({
    method: 'POST',
    ...LIMITS,
    onBody: (piece) => {
      body = Buffer.concat([body, piece]);
      if (body.length >= MAX_ANSWER_BYTES) resolve();
    },
    onEnd: resolve,
  });
  socket.on('error', reject);
  socket.once('close', () => reject(new Error('the connection was closed before an answer')));
  socket.on('data', (bytes) => {
    try {
      if (!socket.destroyed) reader.push(bytes);
    } catch (error) {
      reject(error);
    }
  });
  socket.write(request);
  const broken = await untilAborted(promise, signal).catch((error: unknown) => error);
  socket.destroy();
  if (reader.status === null) throw broken;
  const flat = [...reader.headers].map(([name, values]) => [name, [...new Set(values)].join(', ')]);
  return { status: reader.status, headers: Object.fromEntries(flat), body: body.toString('utf8', 0, MAX_ANSWER_BYTES) };
}

/** A look-up cannot be called off; its answer is waited for no longer than the signal allows. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', onAbort));
}

/**
 * Hands a mail to its SMTP server, at the first of the checked addresses of its host that can be connected to. The answer's status is
 * SMTP's own: 250 took it for all or some, 4xx and 5xx refused. Throws where no answer came.
 */
async function sendMail(mail: MailOutgoing, way: Way): Promise<Answer> {
  const { settings, password } = mail;
  const { signal } = way;
  const { host, port, secure } = settings;
  const addresses = await addressesOf(host, way);
  const socket = await connectToAny(addresses, { host, port, secure }, way);
  const transport = nodemailer.createTransport({
    host,
    connection: socket,
    secure,
    secured: secure,
    // A password is not sent where everybody on the way can read it, but to this very machine.
    requireTLS: !secure && password !== null && !isLoopback(socket.remoteAddress ?? ''),
    auth: settings.user === null ? undefined : { user: settings.user, pass: password ?? '' },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const close = () => socket.destroy();
  signal.addEventListener('abort', close, { once: true });
  try {
    const { 'message-id': messageId, ...headers } = mail.headers;
    const { from, to } = settings;
    const sending = transport.sendMail({ from, to, subject: mail.subject, text: mail.body, messageId, headers });
    const { response, rejected } = await untilAborted(sending, signal);
    return { status: Number.parseInt(response, 10) || 250, headers: {}, body: takenBy(response, rejected) };
  } catch (error) {
    socket.destroySoon();
    const refused = refusalOf(error);
    if (refused) return refused;
    throw error;
  } finally {
    signal.removeEventListener('abort', close);
    transport.close();
  }
}

/** Sent again, it would come again to those who have it: a mail that some took is taken, and the log names the others. */
const takenBy = (response: string, rejected: unknown[]) =>
  rejected.length === 0 ? response : `${response}; refused for ${rejected.join(', ')}`;

const isLoopback = (address: string) => address === '::1' || address.startsWith('127.');

/** What the SMTP server said, where it was the one who refused. */
function refusalOf(error: unknown): Answer | null {
  if (!(error instanceof Error) || !('responseCode' in error) || typeof error.responseCode !== 'number') return null;
  const response = 'response' in error ? String(error.response) : error.message;
  return { status: error.responseCode, headers: {}, body: response };
}
