import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import nodemailer from 'nodemailer';
import { AddressError, checkedAddress, type Resolve } from './address-guard.ts';
import type { Answer, HttpOutgoing, MailOutgoing, Outgoing } from './outgoing.ts';

/** Longest attempt in milliseconds, from the look-up of the name to the last byte of the answer. */
export const TIMEOUT_MS = 20_000;

/** `answer` is null where none came; `error` then says why. */
export type Sent = { answer: Answer | null; error: string | null; durationMs: number };

/** How long an attempt may go on once its process was asked to end, in milliseconds. */
const STOP_GRACE_MS = 5_000;

/**
 * `signal` asks the process to end: what is under way then has a few seconds left. `allowPrivate` lets HTTP go to addresses
 * that are not public.
 */
export type SendOptions = { timeoutMs?: number; resolve?: Resolve; signal?: AbortSignal; allowPrivate?: boolean };

/** Makes one attempt. Never throws: what goes wrong is the attempt's error. */
export async function send(outgoing: Outgoing, options: SendOptions = {}): Promise<Sent> {
  const started = performance.now();
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(new Error(`no whole answer within ${timeoutMs} ms`)), timeoutMs);
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
    const way = { signal: over.signal, resolve: options.resolve, allowPrivate: options.allowPrivate };
    return sent(await (outgoing.kind === 'http' ? postHttp(outgoing, way) : sendMail(outgoing, way)), null);
  } catch (error) {
    return sent(null, over.signal.aborted ? over.signal.reason.message : failureOf(error));
  } finally {
    clearTimeout(timer);
    clearTimeout(grace);
    options.signal?.removeEventListener('abort', onStop);
  }
}

// What Node and OpenSSL say is right but seldom plain: `aborted`, `socket hang up`. Their words stay in brackets.

const CERTIFICATE =
  /^(CERT_|DEPTH_ZERO_|SELF_SIGNED|UNABLE_TO_|ERR_TLS_CERT_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/;

const PLAIN: [RegExp, string][] = [
  [/^ENOTFOUND$|^EAI_NODATA$/, 'the name does not resolve'],
  [/^EAI_/, 'the name cannot be looked up now'],
  [/^ECONNREFUSED$/, 'nobody listens there'],
  [/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'the address cannot be reached'],
  [CERTIFICATE, 'the certificate is not trusted'],
  [/^EPROTO$|^ERR_SSL_/, 'TLS failed'],
  [/^HPE_HEADER_OVERFLOW$/, 'the answer has too many headers'],
  [/^HPE_/, 'the answer is not HTTP'],
  [/^(ECONNRESET|EPIPE)$/, 'the connection was closed before an answer'],
];

/** An answer that began with this status and never ended. */
export class BrokenAnswer extends Error {
  override readonly name = 'BrokenAnswer';
  constructor(status: number, cause: unknown) {
    const words = cause instanceof Error ? cause.message : String(cause);
    super(`answered ${status}, but the connection was closed in the middle of the answer (${words})`);
  }
}

/** Why an attempt brought no answer, in words for the log. */
export function failureOf(error: unknown): string {
  const cause = firstOf(error);
  if (!(cause instanceof Error)) return String(cause);
  if (cause instanceof AddressError || cause instanceof BrokenAnswer) return cause.message;
  const code = 'code' in cause ? String(cause.code) : '';
  const plain = plainOf(code);
  const words = cause.message || code || cause.name;
  return plain ? `${plain} (${words})` : words;
}

const plainOf = (code: string) => PLAIN.find(([pattern]) => pattern.test(code))?.[1];

/** Node hides the reasons of several tries in one error that says nothing. */
const firstOf = (error: unknown): unknown => (error instanceof AggregateError ? (error.errors[0] ?? error) : error);

/** Most bytes of an answer that are read; the connection is closed then. */
export const MAX_ANSWER_BYTES = 65_536;
/** Most bytes of an answer's headers. */
const MAX_HEADER_BYTES = 16_384;

/** `allowPrivate`: also to addresses that are not public. */
export type Way = { signal: AbortSignal; resolve?: Resolve | undefined; allowPrivate?: boolean | undefined };

/**
 * Posts to the checked address of the URL's host. Redirects are not followed: a 3xx is an answer like any other. Throws where
 * no answer came, or it broke off.
 */
export async function postHttp(outgoing: HttpOutgoing, { signal, resolve, allowPrivate }: Way): Promise<Answer> {
  const url = new URL(outgoing.url);
  const { address, family } = await untilAborted(checkedAddress(url.hostname, resolve, { allowPrivate }), signal);
  const options: https.RequestOptions = {
    method: 'POST',
    host: address,
    family,
    port: url.port || (url.protocol === 'https:' ? 443 : 80),
    path: `${url.pathname}${url.search}`,
    headers: {
      ...outgoing.headers,
      host: url.host,
      'user-agent': 'Roundtrip-Webhooks/1',
      'content-length': Buffer.byteLength(outgoing.body),
    },
    // A connection of its own each time: a kept one might be to an address that was checked long ago.
    agent: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    signal,
    ...serverName(url.hostname),
  };
  return await new Promise((fulfil, reject) => {
    const request = (url.protocol === 'https:' ? https : http).request(options);
    request.on('error', reject);
    request.on('response', (response) => readAnswer(response).then(fulfil, reject));
    request.end(outgoing.body);
  });
}

/** The certificate is to be that of the name, not of the address; SNI takes names alone. */
function serverName(hostname: string): { servername?: string } {
  return isIP(hostname.replace(/^\[|\]$/g, '')) ? {} : { servername: hostname };
}

async function readAnswer(response: http.IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= MAX_ANSWER_BYTES) break;
    }
  } catch (error) {
    throw new BrokenAnswer(response.statusCode ?? 0, error);
  }
  return {
    status: response.statusCode ?? 0,
    headers: flatHeaders(response.headers),
    body: Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES).toString('utf8'),
  };
}

const flatHeaders = (headers: http.IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]));

/** A look-up cannot be called off; its answer is waited for no longer than the signal allows. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', onAbort));
}

/**
 * Hands a mail to its SMTP server, at the checked address of its host. The answer's status is SMTP's own: 250 took it for
 * all or some, 4xx and 5xx refused. Throws where no answer came.
 */
export async function sendMail(mail: MailOutgoing, { signal, resolve }: Way): Promise<Answer> {
  const { settings, password } = mail;
  const { address } = await untilAborted(checkedAddress(settings.host, resolve), signal);
  const transport = nodemailer.createTransport({
    host: address,
    port: settings.port,
    secure: settings.secure,
    // A password is not sent where everybody on the way can read it, but to this very machine.
    requireTLS: !settings.secure && password !== null && !isLoopback(address),
    tls: isIP(settings.host) ? {} : { servername: settings.host },
    auth: settings.user === null ? undefined : { user: settings.user, pass: password ?? '' },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const close = () => transport.close();
  signal.addEventListener('abort', close, { once: true });
  try {
    const { 'message-id': messageId, ...headers } = mail.headers;
    const { from, to } = settings;
    const sending = transport.sendMail({ from, to, subject: mail.subject, text: mail.body, messageId, headers });
    const { response, rejected } = await untilAborted(sending, signal);
    return { status: Number.parseInt(response, 10) || 250, headers: {}, body: takenBy(response, rejected) };
  } catch (error) {
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
