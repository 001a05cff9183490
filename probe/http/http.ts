/**
 * One request over a secured connection, and its answer. `beginExchange` sends it by what ALPN agreed on: HTTP/1.1
 * (http1.ts, read by #contract/http1-answer.ts) or HTTP/2 (http2/, decision 0019). Both give the same Exchange (exchange.ts): its
 * head settles when the final answer's headers are there, dated by the TLS record that the answer begins in, and its
 * body when it has ended. Bounds on what a server may send stand in exchange.ts and, in bytes and records, in the tap.
 * What went wrong is named by http-failure.ts; whether the answer is the one that was wanted, by expectation.ts; where a
 * redirect leads, by redirect.ts, for sequence.ts to follow.
 */
import type { Exchange, ExchangeOptions } from './exchange.ts';
import { exchangeHttp1 } from './http1.ts';
import { exchangeHttp2 } from './http2/http2.ts';

/** Every way to fetch, by what ALPN agreed on. A server without ALPN speaks HTTP/1.1. */
const EXCHANGES: Record<string, (options: ExchangeOptions) => Exchange> = {
  h2: exchangeHttp2,
  'http/1.1': exchangeHttp1,
};

/** Sends the request. */
export function beginExchange(options: ExchangeOptions): Exchange {
  const begin = EXCHANGES[options.socket.alpnProtocol || 'http/1.1'] ?? exchangeHttp1;
  return begin(options);
}
