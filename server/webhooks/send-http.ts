import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { checkedAddress, type Resolve } from './address-guard.ts';
import { BrokenAnswer } from './failure.ts';
import type { Answer, HttpOutgoing } from './outgoing.ts';

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
