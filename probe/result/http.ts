import type { BodyCut, Failure, ResultHttp } from '#contract/result.ts';
import { roundMs } from '../format.ts';
import { MAX_BODY_BYTES, type ResponseBody, type ResponseHead } from '../http/exchange.ts';
import { type Answering, answeredOf } from '../phases/stages.ts';

const RECORD_HEADER_BYTES = 5;

/** What is known of the answer. `failure` is what went wrong with the probe, `origin` where its offsets count from. */
export function httpOf(answering: Answering, failure: Failure | null, origin: number): ResultHttp {
  const { head, exchange, tap, handshake } = answering;
  const body = answeredOf(answering)?.body ?? null;
  const bytes = body?.bytes ?? exchange.bytes();
  const by = whoCut(head, body, failure, bytes);
  // Tickets of TLS 1.3 are application records too, and some servers send them in front of the response.
  const tickets = handshake.version === 'TLSv1.3' ? tap.ticketArrivals.filter((at) => at === head.at).length : 0;
  const size = sizeOf(head.plainBytes, handshake.version, handshake.cipher ?? '');
  const start = tap.wire.responseStart(head.at, tickets, size);
  const records = tap.wire.responseRecords(head.at, tickets, size);
  const bodyStart = exchange.bodyStart();
  const bodySize = bodyStart && sizeOf(bodyStart.plainBytes, handshake.version, handshake.cipher ?? '');
  const bodyRecord =
    start && bodyStart && tap.wire.responseRecord(start, bodyStart.nth - head.nth, bodyStart.at, bodySize);
  // Rounded as the marks are, so that they agree to the last digit.
  const offset = (at: number) => roundMs(at - origin);
  const sentAt = tap.requestSentAt === null ? null : offset(tap.requestSentAt);
  const waited = (at: number | undefined) =>
    at === undefined || sentAt === null ? null : roundMs(Math.max(0, offset(at) - sentAt));
  return {
    version: head.version,
    status: head.status,
    bytes,
    ...(by === null ? {} : { bodyCut: { by, expectedBytes: boundedLength(head.length) } }),
    firstRecordBytes: records.first,
    maxRecordBytes: records.max,
    records: records.count,
    server: head.server,
    location: head.location,
    firstPacketMs: waited(start?.startedAt),
    firstUsableMs: waited(head.at),
    firstBodyPacketMs: waited(bodyRecord?.startedAt),
    firstBodyRecordBytes: bodyRecord?.bytes ?? null,
    encoding: head.encoding,
    altSvc: head.altSvc,
    keepAlive: exchange.keepAlive(),
  };
}

/** Who ended the body before its end, if anybody did. One that ends exactly at our limit without saying so counts as cut. */
function whoCut(
  { length }: ResponseHead,
  body: ResponseBody | null,
  failure: Failure | null,
  bytes: number,
): BodyCut['by'] | null {
  if (body !== null) return bytes >= MAX_BODY_BYTES && length !== bytes ? 'limit' : null;
  if (failure?.phase !== 'download') return null;
  const broken = ['http_closed', 'http_reset'].includes(failure.reason);
  const short = failure.reason === 'http_protocol' && length !== null && bytes < length;
  return broken || short ? 'server' : null;
}

/** A server may announce more than any number of ours holds. */
const boundedLength = (length: number | null) => (length === null ? null : Math.min(length, 2_147_483_647));

/** Bytes of the record that holds this much clear text, unless it was padded; null where the cipher pads by itself. */
function sizeOf(plainBytes: number, version: string | null, cipher: string): number | null {
  if (cipher.includes('CBC') || plainBytes === 0) return null;
  const tag = cipher.endsWith('CCM_8') ? 8 : 16;
  // TLS 1.3 hides the record's type inside; TLS 1.2 sends a nonce of 8 bytes along, but with ChaCha20.
  const besides = version === 'TLSv1.3' ? 1 : cipher.includes('CHACHA20') ? 0 : 8;
  return RECORD_HEADER_BYTES + besides + plainBytes + tag;
}
