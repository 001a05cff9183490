import { connectMsOf, type Finding, type Result, type ResultHttp, type Wait } from '#contract/result.ts';
import type { HttpOddity } from '#contract/vocabulary.ts';
import { lossOf } from '../round-trips/loss.ts';
import { fact, type Values, waste } from './finding.ts';

/** Bytes of a full segment where the kernel was not asked. */
const USUAL_SEGMENT_BYTES = 1_448;
/** Paths on which a wait is told from noise have at least this round-trip time (ms). */
const LEAST_RTT_MS = 1.7;
/** The largest record fits through the smallest window in four; what waits longer was lost, not held back. */
const MOST_ROUND_TRIPS = 3;
/** A wait is one for an acknowledgement up to this many round trips; what takes longer is the server's work or a loss. */
const STALL_LIMIT = 1.8;
/** So many records, with so few bytes of body each on average, are tiny ones. */
const LEAST_TINY_RECORDS = 16;
const TINY_BYTES = 400;
/** Records so small fill a window by their number: a wait after fewer than so many full segments shows it. */
const TINY_SEGMENTS = 8;

/** What the answer shows. */
export function httpFindings(result: Result, offeredHttp2: boolean): Finding[] {
  const { http } = result;
  if (!http) return [];
  const found = waitFindings(result, http);
  if (offeredHttp2 && http.version !== '2') {
    const { version } = http;
    found.push(fact('http1_only', 'info', `the server spoke HTTP/${version}`, { version }));
  }
  return [...found, ...sessionFindings(result)];
}

/** That the answer was to be had by HTTP/1.1 alone, by the Result of the refused probe that went before it. */
export function http1Finding({ phases }: Result): Finding {
  const lostMs = phases.total ?? 0;
  const evidence = `the server refused HTTP/2 with HTTP_1_1_REQUIRED after ${lostMs} ms: clients ask again by HTTP/1.1, on a new connection`;
  return fact('http1_required', 'warning', evidence, { lostMs });
}

/** What was odd about an answer of HTTP/1 that was taken all the same. */
export function oddityFindings(oddities: HttpOddity[]): Finding[] {
  if (oddities.length === 0) return [];
  const named = oddities.map((each) => each.replaceAll('_', ' ')).join(', ');
  const evidence = `the answer breaks rules of HTTP/1.1 (RFC 9112), and clients take it all the same: ${named}`;
  return [fact('http_malformed', 'warning', evidence, { oddities: oddities.join(' ') })];
}

/** What the waits inside the answer cost, each under one name: tiny records, the first record of the body, the body. */
function waitFindings(result: Result, http: ResultHttp): Finding[] {
  const { network, roundTrips, prober } = result;
  const connectMs = connectMsOf(result);
  const rtt = network.minRttMs ?? connectMs;
  // A lost packet makes the same gap.
  const countable = rtt !== null && rtt >= LEAST_RTT_MS && lossOf(network, connectMs ?? 0, null).segment === null;
  const waits = countable
    ? (roundTrips?.waits ?? []).filter(
        ({ phase, waitMs, heldBy }) =>
          phase !== 'tls' && heldBy !== 'nagle' && waitMs <= STALL_LIMIT * rtt + 2 && waitMs > (prober.lateMs ?? 0),
      )
    : [];
  const tiny = tinyRecords(http, waits, rtt ?? 0, network.mss ?? USUAL_SEGMENT_BYTES);
  if (tiny) return [tiny];
  const first = waitsOfFirstRecord(result, http, waits);
  const rest = waits.filter((wait) => !first.includes(wait));
  return [
    ...(rtt === null ? [] : largeRecord(http, first, rtt, network.mss ?? USUAL_SEGMENT_BYTES)),
    ...(rtt === null ? [] : largeBody(http, rest, rtt)),
  ];
}

/** Those between the first packet of the first record of the body and its last. */
function waitsOfFirstRecord({ marks }: Result, http: ResultHttp, waits: Wait[]): Wait[] {
  const { pretransfer, firstBody } = marks;
  const packetMs = http.firstBodyPacketMs ?? null;
  if (pretransfer === null || typeof firstBody !== 'number' || packetMs === null) return [];
  const from = pretransfer + packetMs;
  return waits.filter(({ atMs }) => atMs >= from - 0.01 && atMs < firstBody);
}

/** The first record of the body came in several flights: what the first one brought could not be read yet. */
function largeRecord(http: ResultHttp, waits: Wait[], rtt: number, mss: number): Finding[] {
  const bytes = http.firstBodyRecordBytes ?? 0;
  if (waits.length === 0 || waits.length > MOST_ROUND_TRIPS || bytes <= mss) return [];
  const waitMs = waits.reduce((sum, wait) => sum + wait.waitMs, 0);
  const evidence = `the first record of the body has ${bytes} bytes, and ${waitMs.toFixed(1)} ms of waiting for acknowledgements lie between its first packet and its last: consistent with a record that exceeds the congestion window`;
  return [waste('records_exceed_window', waits.length, rtt, evidence, { bytes, waitMs, waits: waits.length })];
}

/** For information only: a server of large files cannot avoid it. */
function largeBody(http: ResultHttp, waits: Wait[], rtt: number): Finding[] {
  const held = waits.filter(({ heldBy }) => heldBy === 'window');
  const [first] = held;
  if (!first) return [];
  const { bytes, encoding } = http;
  const coded = encoding ? `coded as ${encoding}` : 'not compressed';
  const evidence = `the body of ${bytes} bytes (${coded}) waited ${held.length} times for acknowledgements, for the first time after ${first.afterBytes} bytes: consistent with a body that exceeds the congestion window`;
  const values: Values = { bytes, waits: held.length, afterBytes: first.afterBytes, encoding: encoding ?? 'none' };
  return [waste('body_exceeds_window', held.length, rtt, evidence, values, 'info')];
}

/** Small records cost bytes and work; the window counts segments, so that a few of them may fill it. */
function tinyRecords({ records, bytes }: ResultHttp, waits: Wait[], rtt: number, mss: number): Finding | null {
  if (records === null || records < 2 || bytes / records >= TINY_BYTES) return null;
  const early = waits.filter(({ heldBy, afterBytes }) => heldBy === 'window' && afterBytes < TINY_SEGMENTS * mss);
  if (records < LEAST_TINY_RECORDS && early.length === 0) return null;
  const shown = `a body of ${bytes} bytes came in ${records} records`;
  const values = { bytes, records, waits: early.length };
  if (early.length === 0) return fact('tiny_records', 'warning', shown, values);
  const evidence = `${shown} and waited ${early.length} times for acknowledgements: consistent with small segments that fill the congestion window`;
  return waste('tiny_records', early.length, rtt, evidence, values);
}

/** A full handshake without anything to resume it by. Tickets of TLS 1.3 come along with the answer. */
function sessionFindings({ tls, phases }: Result): Finding[] {
  if (!tls || tls.resumed || tls.session !== null || phases.download === null) return [];
  const version = tls.version ?? '';
  const evidence = `the server gave neither a session ticket nor a session id: a returning client pays for a full ${version} handshake again`;
  return [fact('no_session', 'info', evidence, { version })];
}
