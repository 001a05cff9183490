import { generationsOf } from './causality.ts';
import type { Connection, Segment } from './connections.ts';
import { carrierOf, completedBy, readableAt, recordsOf, type Stream, streamOf, type WireRecord } from './streams.ts';

/** What the packets of one connection say. Instants are ms on the capture's clock; what was not seen is null. */
export type Truth = {
  synAt: number;
  synAckAt: number | null;
  clientHelloAt: number | null;
  /** Arrival of the last server byte that the handshake needed. */
  handshakeEndAt: number | null;
  /** Sending of the request's first byte. */
  requestAt: number | null;
  /** Arrival of the first packet of the answer, and of the last byte of its first record. */
  firstPacketAt: number | null;
  firstUsableAt: number | null;
  /** Durations (ms): SYN to SYN-ACK; that of the SYN which was answered; SYN-ACK, and ClientHello, to the handshake's end. */
  connectMs: number | null;
  rttMs: number | null;
  tlsMs: number | null;
  wireMs: number | null;
  /** Durations (ms) from the request. */
  firstPacketMs: number | null;
  firstUsableMs: number | null;
  /** How often one packet had to answer another until then, from the ClientHello and from the request. */
  roundTrips: { tls: number | null; firstPacket: number | null; firstUsable: number | null };
  /** SYNs sent again; segments with data that were sent or arrived again; those that arrived behind a hole. */
  synRepeats: number;
  repeatedOut: number;
  repeatedIn: number;
  outOfOrder: number;
};

const RECORD = { changeCipherSpec: 20, handshake: 22, applicationData: 23 };
/** supported_versions of a ServerHello with TLS 1.3, and its pre_shared_key (the first identity). */
const TLS13 = Buffer.from('002b00020304', 'hex');
const RESUMED13 = Buffer.from('002900020000', 'hex');
/** Records up to this size behind the request are control frames of HTTP/2: no answer of nginx is as short. */
const CONTROL_BYTES = 96;

/**
 * What really happened. Records are told by their headers, so in TLS 1.3 the server's session tickets are told by their
 * number: two after a full handshake, one after a resumed, as OpenSSL sends them; `tickets` says otherwise. `lineRttMs` is
 * what the line adds to every round trip (nothing can answer sooner); where it is left out, the connect's round trip is
 * taken, and a connect that was slowed down by chance may then hide a round trip.
 */
export function truthOf({ segments }: Connection, options: { tickets?: number; lineRttMs?: number } = {}): Truth {
  const streams = { out: streamOf(segments, 'out'), in: streamOf(segments, 'in') };
  const records = { out: recordsOf(streams.out), in: recordsOf(streams.in) };
  const hellos = Buffer.concat(cleartext(records.in).map(({ start, end }) => streams.in.bytes.subarray(start, end)));
  const modern = hellos.includes(TLS13);
  const syns = segments.filter(({ direction, syn }) => direction === 'out' && syn);
  const synAck = segments.find(({ direction, syn }) => direction === 'in' && syn) ?? null;
  const answered = syns.findLast(({ at }) => synAck && at < synAck.at) ?? null;
  const hello = records.out[0] ? carrierOf(streams.out, records.out[0].start) : firstData(streams.out);
  const end = modern ? endOfModern(streams, records.out) : endOfOld(records.in);
  const handshakeEndAt = end === null ? null : readableAt(streams.in, end - 1);
  const application = records.out.filter(({ type }) => type === RECORD.applicationData);
  const request = requestIn(streams.out, application, modern);
  const tickets = modern ? (options.tickets ?? (hellos.includes(RESUMED13) ? 1 : 2)) : 0;
  const answer = end === null || !request ? null : answerIn(streams.in, records.in, end, tickets, request);
  const rttMs = since(answered?.at, synAck?.at);
  const firstPacketAt = answer ? (carrierOf(streams.in, answer.start)?.at ?? null) : null;
  const firstUsableAt = answer ? readableAt(streams.in, answer.end - 1) : null;
  const least = options.lineRttMs ?? rttMs;
  const generations = hello && least !== null ? generationsOf(segments, hello, least) : null;
  const count = (from: Segment | null, offset: number | null) => {
    const last = offset === null ? null : completedBy(streams.in, offset);
    const [first, reached] = [from && generations?.get(from), last && generations?.get(last)];
    return typeof first === 'number' && typeof reached === 'number' ? reached - first : null;
  };
  return {
    synAt: syns[0]?.at ?? 0,
    synAckAt: synAck?.at ?? null,
    clientHelloAt: hello?.at ?? null,
    handshakeEndAt,
    requestAt: request?.at ?? null,
    firstPacketAt,
    firstUsableAt,
    connectMs: since(syns[0]?.at, synAck?.at),
    rttMs,
    tlsMs: since(synAck?.at, handshakeEndAt),
    wireMs: since(hello?.at, handshakeEndAt),
    firstPacketMs: since(request?.at, firstPacketAt),
    firstUsableMs: since(request?.at, firstUsableAt),
    roundTrips: {
      tls: count(hello, end === null ? null : end - 1),
      firstPacket: count(request, answer ? answer.start : null),
      firstUsable: count(request, answer ? answer.end - 1 : null),
    },
    synRepeats: syns.length - 1,
    repeatedOut: segments.filter((one) => one.direction === 'out' && one.repeated && !one.syn).length,
    repeatedIn: segments.filter((one) => one.direction === 'in' && one.repeated && !one.syn).length,
    outOfOrder: behindHoles(streams.in),
  };
}

const since = (from: number | null | undefined, to: number | null | undefined) =>
  from === null || from === undefined || to === null || to === undefined ? null : to - from;

const firstData = ({ segments }: Stream) => segments[0] ?? null;

/** The server's records before the first encrypted one. */
function cleartext(records: WireRecord[]): WireRecord[] {
  const encrypted = records.findIndex(({ type }) => type === RECORD.applicationData);
  return encrypted === -1 ? records : records.slice(0, encrypted);
}

/** TLS 1.3: what the client had received when it sent its Finished, which is its first encrypted record. */
function endOfModern({ out }: { out: Stream }, sent: WireRecord[]): number | null {
  const finished = sent.find(({ type }) => type === RECORD.applicationData);
  const carrier = finished && carrierOf(out, finished.start);
  return carrier && carrier.acknowledges > 0 ? carrier.acknowledges : null;
}

/** TLS 1.2: the server's Finished, which follows its change of cipher. */
function endOfOld(records: WireRecord[]): number | null {
  const change = records.findIndex(({ type }) => type === RECORD.changeCipherSpec);
  return change === -1 ? null : (records[change + 1]?.end ?? null);
}

/** In TLS 1.3 the first encrypted record is the client's Finished. */
function requestIn(out: Stream, application: WireRecord[], modern: boolean): Segment | null {
  const record = application[modern ? 1 : 0];
  return record ? carrierOf(out, record.start) : null;
}

/** The first record behind handshake and tickets that answers the request. */
function answerIn(
  stream: Stream,
  records: WireRecord[],
  handshakeEnd: number,
  tickets: number,
  request: Segment,
): WireRecord | null {
  const later = records.filter(({ type, start }) => type === RECORD.applicationData && start >= handshakeEnd);
  const answers = (record: WireRecord) => (carrierOf(stream, record.start)?.acknowledges ?? -1) > request.offset;
  return later.slice(tickets).find((record) => record.bytes > CONTROL_BYTES && answers(record)) ?? null;
}

function behindHoles({ segments }: Stream): number {
  let highest = 0;
  let count = 0;
  for (const { offset, payload } of segments) {
    if (offset > highest) count += 1;
    highest = Math.max(highest, offset + payload.length);
  }
  return count;
}
