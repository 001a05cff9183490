import { type Exchange, type ExchangeOptions, HTTP_LIMITS } from '../http/exchange.ts';
import { Expected } from '../http/expectation.ts';
import { httpFailure } from '../http/http-failure.ts';
import { exchangeHttp1 } from '../http/http1.ts';
import { exchangeHttp2 } from '../http/http2/http2.ts';
import { redirectTarget } from '../http/redirect.ts';
import type { ProbeEnvironment } from '../interfaces.ts';
import type { ProbeRequest } from '../request.ts';
import { type Overall, withinPhase } from './deadline.ts';
import type { Evidence } from './evidence.ts';

/** Every way to fetch, by what ALPN agreed on. A server without ALPN speaks HTTP/1.1. */
const EXCHANGES: Record<string, (options: ExchangeOptions) => Exchange> = {
  h2: exchangeHttp2,
  'http/1.1': exchangeHttp1,
};

/**
 * Sends the settings' request on the secured connection, reads the answer, and then judges it: an answer that is not
 * as expected fails the probe with all phases measured. A redirect is an answer like any other, and is not followed.
 */
export async function fetchOnce(
  url: URL,
  { settings }: ProbeRequest,
  { clock }: ProbeEnvironment,
  overall: Overall,
  evidence: Evidence,
): Promise<void> {
  const { line, tap } = evidence;
  if (!line || !tap) throw new Error('there is no connection to fetch over');
  const begin = EXCHANGES[line.socket.alpnProtocol || 'http/1.1'] ?? exchangeHttp1;
  const { bytes } = tap.wire;
  tap.limits = {
    bytesIn: bytes.in + HTTP_LIMITS.bytesIn,
    bytesOut: bytes.out + HTTP_LIMITS.bytesOut,
    recordsIn: tap.wire.count('in') + HTTP_LIMITS.recordsIn,
  };
  tap.wire.beginResponse();
  const expected = new Expected(settings.expect);
  const onBody = (piece: Buffer) => expected.take(piece);
  const now = () => clock.now();
  const exchange = begin({ socket: line.socket, tap, url, request: settings.request, now, onBody });
  evidence.exchange = exchange;
  const { firstByte, download } = settings.timeouts;
  try {
    const head = await withinPhase(clock, 'firstByte', firstByte, overall, () => exchange.head);
    evidence.head = head;
    evidence.stamps = { ...evidence.stamps, starttransfer: head.at };
  } catch (error) {
    throw httpFailure('firstByte', error, line.error());
  } finally {
    evidence.stamps = { ...evidence.stamps, pretransfer: tap.requestSentAt ?? undefined };
  }
  try {
    evidence.body = await withinPhase(clock, 'download', download, overall, () => exchange.body);
    evidence.stamps = { ...evidence.stamps, bodyEnd: evidence.body.at };
  } catch (error) {
    throw httpFailure('download', error, line.error());
  }
  // Where a redirect is followed, what was expected is expected of the answer at its end.
  const followed = settings.redirects > 0 && redirectTarget({ url: url.href, http: evidence.head }) !== null;
  if (!followed) expected.check(evidence.head.status);
}
