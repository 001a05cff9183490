import { connectMsOf, type Result } from '#contract/result.ts';
import type { ResultTls } from '#contract/tls.ts';
import { SEGMENT_BYTES } from '../tcp-sender/tcp-sender.ts';
import { fittedSender } from './calibration.ts';
import { type Exchange, type Milestones, replay, sum } from './exchange.ts';

/** What the model needs of a Result: its milestones as they were measured, what the server sent, and what of it a change would alter. */
export type Facts = {
  /** From the SYN on, as this client (`api`) saw them. */
  measured: Milestones;
  exchange: Exchange;
  version: 'TLSv1.2' | 'TLSv1.3';
  http2: boolean;
  /** Bytes that a record's header and encryption add to its clear text. */
  recordOverheadBytes: number;
  /** The certificates that the server sent: DER of all together, how many, and of which type; null where they are not known. */
  chain: {
    bytes: number;
    certificates: { keyType: string; keyBits: number | null }[];
    /** The sizes of the message where it came compressed (RFC 8879), which browsers alone are counted on to offer. */
    compressed?: { fromBytes: number; toBytes: number };
    /** What compression would leave of the message, as a share; left out where it is not known. */
    compressibleTo?: number;
  } | null;
  stapleBytes: number;
  bodyBytes: number;
  /** The server's proof of its key: an estimate of its work (ms). */
  signatureMs: number;
  /** The client's own work between two flights of the handshake (ms), which lies after the handshake where there is one flight alone. */
  turnaroundMs: number;
  /** What redirects before this answer took, in ms and in round trips: before its connection was begun, and on that connection. */
  redirects: Redirects;
  /** The look-up before the connection (ms). */
  dnsMs: number;
};

/** `early` is what browsers spare of `before` by False Start. */
type Redirects = Record<`${'before' | 'onConnection' | 'early'}${'Ms' | 'Trips'}`, number>;
export const NO_REDIRECTS: Redirects = {
  beforeMs: 0,
  onConnectionMs: 0,
  earlyMs: 0,
  beforeTrips: 0,
  onConnectionTrips: 0,
  earlyTrips: 0,
};

/** Encryption of TLS 1.3: header, tag and the inner type. */
export const TLS13_OVERHEAD_BYTES = 22;
export const MOST_RECORD_BYTES = 16_384;
const MODERN_AEAD = /GCM|CHACHA20|CCM/;
/** HTTP/2 headers that come in a record of their own are no larger than this. */
const MOST_HEADERS_BYTES = 1_000;
const ALERT_BYTES = 2;
/** A HelloRetryRequest, where its record was not kept. */
const HELLO_RETRY_BYTES = 99;
/** What every path takes (RFC 9293): a smaller segment on a Result is a mistake. */
const LEAST_SEGMENT_BYTES = 536;
/** More than any Result of ours holds: the first MiB of a body, and its handshake. */
const MOST_BYTES = 4_194_304;
/** Records beyond those that the Result lists are reckoned one by one up to so many, and larger ones beyond. */
const MOST_RECKONED = 1_000;
/** Records on a Result are dated to microseconds: so close (ms), one is meant to be the other. */
const SAME_MS = 0.002;
/** Records that add up to this share of the handshake's bytes are all of them. */
const COMPLETE_SHARE = 0.9;
/** RSA's private operation takes about so long at 2,048 bits (ms), and grows with the third power of the key's size. */
const RSA_2048_MS = 0.55;

/**
 * The facts of a Result; null where it is no base for a prediction: it failed or was resumed, has no answer with an end,
 * was measured by a busy prober or lost packets, or its round trips could not be counted. `hops` are the Results of the
 * redirects that led to it, the first one first.
 */
export function factsOf(result: Result, hops: readonly Result[] = []): Facts | null {
  const { tls, http, roundTrips } = result;
  if (!result.ok || !result.prober.clean || !tls || !http || !milestonesOf(result)) return null;
  if (tls.resumed || isLossy(result) || (roundTrips?.tls.took ?? tls.handshake.roundTrips) === null) return null;
  return tls.version === 'TLSv1.2' || tls.version === 'TLSv1.3' ? textbookFacts(result, hops) : null;
}

/**
 * The facts of any Result with a handshake: what it lacks (an answer, its end, an older version's records) is as a textbook has it.
 * Good for what a change saves in general, not for what was measured. Null without a handshake or round-trip time.
 */
export function textbookFacts(result: Result, hops: readonly Result[] = []): Facts | null {
  const { tls, http, phases } = result;
  if (!tls) return null;
  const version = tls.version === 'TLSv1.3' ? 'TLSv1.3' : 'TLSv1.2';
  const { minRttMs, rttMs, mss } = result.network;
  const tcpMs = connectMsOf(result);
  const recordOverheadBytes = overheadOf(version, tls.cipher);
  const sent = {
    rttMs: Math.min(minRttMs ?? rttMs ?? tcpMs ?? Number.NaN, tcpMs ?? Number.POSITIVE_INFINITY),
    segmentBytes: Math.max(LEAST_SEGMENT_BYTES, mss ?? SEGMENT_BYTES),
    handshake: handshakeOf(tls),
    falseStart: mayFalseStart(result),
    ...answerOf(result, recordOverheadBytes),
  };
  if (!(sent.rttMs > 0) || sum(sent.handshake.map(sum)) + sum(sent.answer) > MOST_BYTES) return null;
  const { certificate, staple } = tls;
  const { chainBytes = null, sent: shown } = certificate ?? {};
  const certificates = shown?.certificates ?? (certificate ? [certificate] : []);
  const exchange: Exchange = { ...sent, ...fittedSender(sent, result) };
  const known = milestonesOf(result);
  return {
    measured: known
      ? { ...known, firstBody: firstBodyOf(result, sent.firstBodyIndex) ?? known.firstUsable }
      : replay(exchange, 'api').milestones,
    exchange,
    version,
    http2: http?.version === '2',
    recordOverheadBytes,
    chain:
      chainBytes === null
        ? null
        : {
            bytes: chainBytes,
            certificates: certificates.map(({ keyType, keyBits }) => ({ keyType, keyBits })),
            ...(shown?.uncompressedBytes === undefined
              ? {}
              : { compressed: { fromBytes: shown.uncompressedBytes, toBytes: shown.messageBytes } }),
            ...(shown?.compressibleTo === undefined
              ? {}
              : { compressibleTo: shown.compressibleTo / Math.max(1, shown.messageBytes) }),
          },
    stapleBytes: staple.bytes,
    bodyBytes: http?.bytes ?? 0,
    signatureMs: Math.min(signatureMsOf(certificate), tls.handshake.workMs ?? Number.POSITIVE_INFINITY),
    turnaroundMs: turnaroundMsOf(tls),
    redirects: redirectsOf([...hops, result]),
    dnsMs: phases.dns ?? 0,
  };
}

/** The milestones without `firstBody`, from the SYN on; null where one was not reached. */
function milestonesOf({ marks, phases }: Result): Omit<Milestones, 'firstBody'> | null {
  const { connect, appconnect, starttransfer, total } = marks;
  const known = [connect, appconnect, starttransfer, total, phases.tcp, phases.download];
  if (known.some((value) => value === null)) return null;
  const since = (mark: number | null) => (mark ?? 0) - ((connect ?? 0) - (phases.tcp ?? 0));
  return { handshake: since(appconnect), firstUsable: since(starttransfer), total: since(total) };
}

/**
 * A redirect within an origin costs its answer, since a client asks again on the same connection. One to another origin
 * costs a connection, its handshake and answer, and the look-up of the next name.
 */
function redirectsOf(sequence: readonly Result[]): Facts['redirects'] {
  const redirects = { ...NO_REDIRECTS };
  for (const [index, hop] of sequence.slice(0, -1).entries()) {
    const next = sequence[index + 1];
    const { tcp, tls, firstByte, download } = hop.phases;
    const answerMs = (firstByte ?? 0) + (download ?? 0);
    const answerTrips = (hop.roundTrips?.firstByte.took ?? 1) + (hop.roundTrips?.download?.took ?? 0);
    if (next && new URL(next.url).origin === new URL(hop.url).origin) {
      redirects.onConnectionMs += answerMs;
      redirects.onConnectionTrips += answerTrips;
    } else {
      redirects.beforeMs += (tcp ?? 0) + (tls ?? 0) + answerMs + redirects.onConnectionMs + (next?.phases.dns ?? 0);
      redirects.beforeTrips += 1 + tlsTripsOf(hop) + answerTrips + redirects.onConnectionTrips;
      redirects.onConnectionMs = 0;
      redirects.onConnectionTrips = 0;
      if (mayFalseStart(hop)) {
        redirects.earlyMs += hop.network.minRttMs ?? tcp ?? 0;
        redirects.earlyTrips += 1;
      }
    }
  }
  return redirects;
}

/** Round trips of the TLS handshake; what the version takes where they could not be counted. */
export function tlsTripsOf({ tls, roundTrips }: Result): number {
  const counted = roundTrips?.tls.took ?? tls?.handshake.roundTrips;
  return counted ?? (tls?.version === 'TLSv1.3' ? 1 : 2);
}

function isLossy({ network, findings }: Result): boolean {
  const { retransmits, synRetransmits, outOfOrder } = network;
  return (
    (retransmits ?? 0) + (synRetransmits ?? 0) + (outOfOrder ?? 0) > 0 || findings.some(({ code }) => code === 'loss')
  );
}

export function overheadOf(version: string, cipher: string | null): number {
  if (version === 'TLSv1.3') return TLS13_OVERHEAD_BYTES;
  if (cipher?.includes('CHACHA20')) return 21;
  return cipher?.includes('CBC') ? 57 : 29;
}

/** Whether a browser may send its request after the first round trip of TLS 1.2: ECDHE, an AEAD cipher, and ALPN. */
export function mayFalseStart({ tls }: Result): boolean {
  if (tls?.version !== 'TLSv1.2' || tls.resumed) return false;
  if (typeof tls.falseStart === 'boolean') return tls.falseStart;
  const cipher = tls.cipher ?? '';
  return cipher.includes('ECDHE') && MODERN_AEAD.test(cipher) && tls.alpn !== null;
}

/** How many groups of records a handshake has that nothing makes longer. */
export const leastGroups = ({ version }: Pick<Facts, 'version'>): number => (version === 'TLSv1.3' ? 1 : 2);

/**
 * The server's records of the handshake, cut where the client answered. Without records (older engines) the bytes alone:
 * under TLS 1.2 the last group holds a ticket and the server's Finished.
 */
function handshakeOf({ version, wire = [], handshake, helloRetry }: ResultTls): number[][] {
  const groups: number[][] = [];
  let left = handshake.records;
  let answered = true;
  for (const { direction, bytes } of wire) {
    if (direction === 'out') answered = true;
    else if (left > 0) {
      if (answered) groups.push([]);
      groups.at(-1)?.push(bytes);
      answered = false;
      left -= 1;
    }
  }
  // A handshake of more records than are kept is known by its size alone.
  const complete = sum(groups.map(sum)) >= COMPLETE_SHARE * handshake.bytesIn;
  if (complete && groups.length === handshake.expectedRoundTrips) return groups;
  if (version === 'TLSv1.3') return [...(helloRetry ? [[HELLO_RETRY_BYTES]] : []), [handshake.bytesIn]];
  const finishing = Math.min(300, handshake.bytesIn / 2);
  return [[handshake.bytesIn - finishing], [finishing]];
}

/** The mean time from a flight of the server to our answer to it, as long as the handshake lasts. */
function turnaroundMsOf({ wire = [], handshake }: ResultTls): number {
  const turns: number[] = [];
  let left = handshake.records;
  for (const [index, { direction, atMs }] of wire.entries()) {
    const before = wire[index - 1];
    if (direction === 'in') left -= 1;
    else if (before?.direction === 'in' && left > 0) turns.push(Math.max(0, atMs - before.atMs));
  }
  return turns.length === 0 ? 0 : sum(turns) / turns.length;
}

type Answer = Pick<Exchange, 'greeting' | 'answer' | 'firstBodyIndex'>;

/** The records of the answer and those before it: as the wire showed them, as far as it was kept, and the rest reckoned. */
function answerOf(result: Result, overheadBytes: number): Answer {
  const { http, marks } = result;
  const later = recordsAfterHandshake(result);
  const size = http?.firstRecordBytes ?? null;
  const start = later.findIndex(({ bytes, atMs }) => bytes === size && atMs >= (marks.starttransfer ?? 0) - SAME_MS);
  const recorded = later.slice(start, start + (http?.records ?? 1)).map(({ bytes }) => bytes);
  const kept = start < 0 ? firstRecordsOf(result) : recorded;
  const greeting = later.slice(0, Math.max(0, start)).map(({ bytes }) => bytes);
  const clearBytes = sum(kept) - kept.length * overheadBytes;
  const missingBytes = Math.max(0, (http?.bytes ?? 0) - clearBytes);
  const leastMissing = Math.ceil(missingBytes / MOST_RECORD_BYTES);
  const missing = Math.min(MOST_RECKONED, Math.max(leastMissing, (http?.records ?? 1) - kept.length));
  const rest = Array.from({ length: missing }, () => missingBytes / missing + overheadBytes);
  const answer = withoutClosing([...kept, ...rest], overheadBytes);
  if (answer.length === 0) answer.push((http?.bytes ?? 0) + overheadBytes);
  return { greeting, answer, firstBodyIndex: firstBodyIndexOf(result, answer) };
}

/** The first record of an answer, and the first with a byte of body: what older engines kept of them. */
function firstRecordsOf({ http }: Result): number[] {
  const { firstRecordBytes: first = null, firstBodyRecordBytes: body = null } = http ?? {};
  return [first, body === first ? null : body].filter((bytes) => bytes !== null);
}

/** An encrypted alert that ends the connection looks like a record of the answer, and comes after its end. */
function withoutClosing(records: readonly number[], overheadBytes: number): number[] {
  const closing = records.length > 1 && records.at(-1) === overheadBytes + ALERT_BYTES;
  return closing ? records.slice(0, -1) : [...records];
}

function recordsAfterHandshake({ tls }: Result): { bytes: number; atMs: number }[] {
  const arrived = (tls?.wire ?? []).filter(({ direction }) => direction === 'in');
  return arrived.slice(tls?.handshake.records ?? 0);
}

function firstBodyIndexOf({ http }: Result, answer: readonly number[]): number {
  if (!http || http.bytes === 0) return -1;
  const known = http.firstBodyRecordBytes ?? null;
  const index = known === null ? -1 : answer.indexOf(known);
  if (index >= 0) return index;
  const headersAlone = http.version === '2' && answer.length > 1 && (answer[0] ?? 0) <= MOST_HEADERS_BYTES;
  return headersAlone ? 1 : 0;
}

/** When the first record with a byte of the body was complete, from the SYN on. */
function firstBodyOf(result: Result, index: number): number | null {
  const { marks, phases } = result;
  const synMs = (marks.connect ?? 0) - (phases.tcp ?? 0);
  if (typeof marks.firstBody === 'number') return marks.firstBody - synMs;
  if (index < 1) return null;
  const later = recordsAfterHandshake(result);
  const start = later.findIndex(({ atMs }) => atMs >= (marks.starttransfer ?? 0) - SAME_MS);
  const record = start < 0 ? undefined : later[start + index];
  return record ? record.atMs - synMs : null;
}

/** About how long the server works on the signature that proves its key (ms). */
export function signatureMsOf(key: { keyType: string; keyBits: number | null } | null): number {
  if (key?.keyType !== 'rsa') return 0;
  return RSA_2048_MS * ((key.keyBits ?? 2_048) / 2_048) ** 3;
}
