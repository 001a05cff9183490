import { type Overall, withinPhase } from './deadline.ts';
import type { Evidence } from './evidence.ts';
import { ProbeFailure } from './failure.ts';
import { type Exchange, type ExchangeOptions, HTTP_LIMITS } from './http.ts';
import { httpFailure } from './http-failure.ts';
import { exchangeHttp1 } from './http1.ts';
import { exchangeHttp2 } from './http2.ts';
import type { ProbeEnvironment } from './interfaces.ts';
import type { ProbeRequest } from './request.ts';

/** Every way to fetch, by what ALPN agreed on. A server without ALPN speaks HTTP/1.1. */
const EXCHANGES: Record<string, (options: ExchangeOptions) => Exchange> = {
  h2: exchangeHttp2,
  'http/1.1': exchangeHttp1,
};

/** Sends one GET on the secured connection and reads the answer. A status of 400 or more fails the probe. */
export async function fetchOnce(
  url: URL,
  { settings }: ProbeRequest,
  { clock }: ProbeEnvironment,
  overall: Overall,
  evidence: Evidence,
): Promise<void> {
  const { line, tap, instants } = evidence;
  if (!line || !tap) throw new Error('there is no connection to fetch over');
  const begin = EXCHANGES[line.socket.alpnProtocol || 'http/1.1'] ?? exchangeHttp1;
  const { bytes } = tap.wire;
  tap.limits = {
    bytesIn: bytes.in + HTTP_LIMITS.bytesIn,
    bytesOut: bytes.out + HTTP_LIMITS.bytesOut,
    recordsIn: tap.wire.count('in') + HTTP_LIMITS.recordsIn,
  };
  tap.wire.beginResponse();
  const exchange = begin({ socket: line.socket, tap, url, now: () => clock.now() });
  evidence.exchange = exchange;
  const { firstByte, download } = settings.timeouts;
  try {
    const head = await withinPhase(clock, 'firstByte', firstByte, overall, () => exchange.head);
    evidence.head = head;
    instants.starttransfer = head.at;
  } catch (error) {
    throw httpFailure('firstByte', error, line.error());
  } finally {
    instants.pretransfer = tap.requestSentAt ?? undefined;
  }
  try {
    evidence.body = await withinPhase(clock, 'download', download, overall, () => exchange.body);
    instants.bodyEnd = evidence.body.at;
  } catch (error) {
    throw httpFailure('download', error, line.error());
  }
  refuseStatus(evidence.head.status);
}

function refuseStatus(status: number | null): void {
  if (status === null || status < 400) return;
  throw new ProbeFailure('firstByte', 'http_status', 'target', `the server answered with status ${status}`);
}
