import { connectMsOf, type Finding, type Result, type Wait } from '#contract/result.ts';
import { type Flights, implausible, type Stall } from '../round-trips/flights.ts';
import { kernelRttOf, lossBeforeConnect, lossOf } from '../round-trips/loss.ts';
import { roundsFor, SMALL_WINDOW, USUAL_WINDOW } from '../round-trips/window.ts';
import { fact, type Tls, waste } from './finding.ts';

/** Bytes that ten segments hold: what servers send before they wait for an acknowledgement (RFC 6928). */
const USUAL_WINDOW_BYTES = 14_600;
/** A stall after this few bytes is no filled window: the smallest windows in use hold two segments. */
const LEAST_WINDOW_BYTES = 2_000;
const USUAL_SEGMENT_BYTES = 1_448;

/** What a connect that failed shows: packets that were sent in vain. */
export function connectFindings({ failure, network }: Result): Finding[] {
  const shown = failure?.phase === 'tcp' ? lossBeforeConnect(network) : null;
  return shown === null ? [] : [fact('loss', 'warning', shown.evidence, shown.values)];
}

/** Round trips that were wasted, and lost packets. Says "consistent with" wherever the records do not prove the cause. */
export function roundTripFindings(result: Result, tls: Tls, flights: Flights | null): Finding[] {
  const tcp = connectMsOf(result);
  if (tcp === null) return [];
  const loss = lossOf(result.network, tcp, flights);
  const lost = [loss.syn, loss.segment].filter((shown) => shown !== null);
  const evidence = lost.map((shown) => shown.evidence).join('; ');
  const found: Finding[] =
    lost.length > 0 ? [fact('loss', 'warning', evidence, { ...loss.syn?.values, ...loss.segment?.values })] : [];
  const { expectedRoundTrips: expected } = tls.handshake;
  if (expected === null || !flights) return found;
  if (implausible(flights, tcp) && loss.segment === null) return [...found, implausibleRatio(flights, tcp)];
  const rtt = Math.min(kernelRttOf(result.network) ?? tcp, flights.rttMs);
  found.push(...handshakeFindings(tls, rtt));
  // A pause that a lost packet made says nothing about the server's window.
  if (loss.segment === null)
    found.push(...stallFindings(result, tls, flights, rtt), ...windowFindings(result, tls, rtt));
  return found;
}

function handshakeFindings(tls: Tls, rtt: number): Finding[] {
  const found: Finding[] = [];
  if (tls.version === 'TLSv1.2' && !tls.resumed) {
    const early = tls.falseStart === true;
    const evidence = `a full TLS 1.2 handshake takes 2 round trips; TLS 1.3 takes 1${early ? '. Browsers send their request after the first (False Start), and gain none' : ''}`;
    found.push(waste('tls12_full_handshake', 1, rtt, evidence, { falseStart: early ? 'yes' : 'no' }));
  }
  if (tls.falseStart === false) found.push(noFalseStart(tls, rtt));
  if (tls.helloRetry) {
    const evidence =
      'the server answered with a HelloRetryRequest: none of the key shares offered was in a group it takes';
    found.push(waste('hello_retry', 1, rtt, evidence, {}));
  }
  return found;
}

/** The round trip is the one that `tls12_full_handshake` names; here it is lost to browsers as well. */
function noFalseStart({ keyExchange, cipher, alpn }: Tls, rtt: number): Finding {
  const reasons = [
    ...(keyExchange === 'ECDHE' ? [] : [`key exchange ${keyExchange ?? 'unknown'}`]),
    ...(/GCM|CHACHA20/.test(cipher ?? '') ? [] : [`cipher ${cipher ?? 'unknown'}`]),
    ...(alpn === null ? ['no ALPN'] : []),
  ];
  const evidence = `browsers wait for the second round trip of TLS 1.2 here: ${reasons.join(', ')}`;
  const values = { keyExchange: keyExchange ?? 'unknown', cipher: cipher ?? 'unknown', alpn: alpn ?? 'none' };
  return waste('no_false_start', 1, rtt, evidence, values);
}

function stallFindings(result: Result, tls: Tls, { stalls }: Flights, rtt: number): Finding[] {
  const found: Finding[] = [];
  const waits = (result.roundTrips?.waits ?? []).filter(({ phase }) => phase === 'tls');
  const ofNagle = stalls.filter((_, nth) => waits[nth]?.heldBy === 'nagle');
  const window = stalls.filter(
    (stall) => stall.oneRoundTrip && stall.afterBytes >= LEAST_WINDOW_BYTES && !ofNagle.includes(stall),
  );
  const [first] = window;
  if (first) found.push(exceedsWindow(first, window.length, waits[stalls.indexOf(first)], tls, rtt));
  const others = stalls.filter((stall) => !window.includes(stall) && !ofNagle.includes(stall));
  const [stall] = others;
  if (stall) {
    const values = { waitMs: stall.gapMs, afterBytes: stall.afterBytes };
    found.push(waste('extra_round_trip', others.length, rtt, stallEvidence(stall), values));
  }
  return found;
}

function exceedsWindow(stall: Stall, pauses: number, wait: Wait | undefined, tls: Tls, rtt: number): Finding {
  const { afterBytes, gapMs } = stall;
  const { sent, chainBytes: der = 0 } = tls.certificate ?? {};
  const isCompressed = sent?.uncompressedBytes !== undefined;
  const chainBytes = (isCompressed ? sent?.messageBytes : der) ?? 0;
  const segments = wait?.segments ?? 0;
  const how = isCompressed ? ` compressed (${tls.certificateCompression})` : '';
  const size = chainBytes ? `, whose certificates take ${chainBytes} bytes${how},` : '';
  const isUsual = segments > 0 ? segments >= USUAL_WINDOW : afterBytes >= USUAL_WINDOW_BYTES * 0.9;
  const usual = isUsual ? 'the usual initial window of 10 segments' : 'a small initial window';
  const inSegments = segments > 0 ? ` in ${segments} segments` : '';
  const shown = `the server's flight${size} paused for ${gapMs.toFixed(1)} ms after ${afterBytes} bytes${inSegments}`;
  const evidence = `${shown}, about one round trip: consistent with exceeding ${usual}`;
  const values = { waitMs: gapMs, afterBytes, segments, chainBytes, window: isUsual ? 'usual' : 'small' };
  return waste('chain_exceeds_window', pauses, rtt, evidence, values);
}

/** What the pauses of the handshake and the answer say about the server's window, and about Nagle's algorithm. */
function windowFindings({ roundTrips, http, network }: Result, tls: Tls, rtt: number): Finding[] {
  const found: Finding[] = [];
  const { waits = [], serverWindow: window } = roundTrips ?? {};
  const nagle = waits.filter(({ heldBy }) => heldBy === 'nagle');
  const [first] = nagle;
  if (first) {
    const [segments, most] = [first.segments ?? 0, window?.segments ?? 0];
    const shown = `the server paused for ${first.waitMs.toFixed(1)} ms after ${first.afterBytes} bytes, with less than a segment to come`;
    const evidence = `${shown}, though its window holds ${most > 0 ? `${most} segments` : 'more'}: consistent with Nagle's algorithm or a buffer of 4 kB`;
    const values = { waitMs: first.waitMs, afterBytes: first.afterBytes, segments, windowSegments: most };
    found.push(waste('nagle_delay', nagle.length, rtt, evidence, values));
  }
  if (!window?.exact || window.segments > SMALL_WINDOW) return found;
  const mss = network.mss ?? USUAL_SEGMENT_BYTES;
  const pauses = waits.filter(({ heldBy }) => heldBy === 'window').length;
  const usual = [tls.flightBytes ?? 0, http?.bytes ?? 0].map((bytes) => Math.ceil(bytes / mss));
  const needed = usual.reduce((sum, segments) => sum + Math.max(0, roundsFor(segments, USUAL_WINDOW) - 1), 0);
  const evidence = `the server sent ${window.segments} segments (${window.bytes} bytes) before it waited for an acknowledgement: an initial window of ${USUAL_WINDOW} segments is usual`;
  const values = { segments: window.segments, bytes: window.bytes };
  const spared = Math.max(0, pauses - needed);
  found.push(
    spared > 0
      ? waste('small_window', spared, rtt, evidence, values)
      : fact('small_window', 'warning', evidence, values),
  );
  return found;
}

function stallEvidence({ afterBytes, gapMs }: Stall): string {
  const shown = `the server's flight paused for ${gapMs.toFixed(1)} ms after ${afterBytes} bytes`;
  return `${shown}: consistent with a lost segment, a delayed acknowledgement or a slow server`;
}

function implausibleRatio(flights: Flights, tcp: number): Finding {
  const times = Math.round((10 * flights.answerMs) / tcp) / 10;
  const evidence = `the first answer of TLS took ${times.toFixed(1)} times the TCP connect: consistent with a proxy that answers connects in the server's place, with a lost segment, or with a slow server; round trips are not counted`;
  return fact('implausible_ratio', 'warning', evidence, { times });
}
