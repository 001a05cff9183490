import type { Finding, Result } from '#contract/result.ts';
import { type Flights, implausible, type Stall } from '../round-trips/flights.ts';
import { kernelRttOf, lossBeforeConnect, lossOf } from '../round-trips/loss.ts';
import { fact, type Tls, waste } from './finding.ts';

/** Bytes that ten segments hold: what servers send before they wait for an acknowledgement (RFC 6928). */
const USUAL_WINDOW_BYTES = 14_600;
/** A stall after this few bytes is no filled window: the smallest windows in use hold two segments. */
const LEAST_WINDOW_BYTES = 2_000;

/** What a connect that failed shows: packets that were sent in vain. */
export function connectFindings({ failure, network }: Result): Finding[] {
  const shown = failure?.phase === 'tcp' ? lossBeforeConnect(network) : null;
  return shown === null ? [] : [fact('loss', 'warning', shown)];
}

/** Round trips that were wasted, and lost packets. Says "consistent with" wherever the records do not prove the cause. */
export function roundTripFindings(result: Result, tls: Tls, flights: Flights | null): Finding[] {
  const tcp = result.phases.tcp;
  if (tcp === null) return [];
  const loss = lossOf(result.network, tcp, flights);
  const lost = [loss.syn, loss.segment].filter((shown) => shown !== null);
  const found: Finding[] = lost.length > 0 ? [fact('loss', 'warning', lost.join('; '))] : [];
  const { expectedRoundTrips: expected } = tls.handshake;
  if (expected === null || !flights) return found;
  if (implausible(flights, tcp) && loss.segment === null) return [...found, implausibleRatio(flights, tcp)];
  const rtt = Math.min(kernelRttOf(result.network) ?? tcp, flights.rttMs);
  found.push(...handshakeFindings(tls, rtt));
  // A pause that a lost packet made says nothing about the server's window.
  if (loss.segment === null) found.push(...stallFindings(tls, flights, rtt));
  return found;
}

function handshakeFindings(tls: Tls, rtt: number): Finding[] {
  const found: Finding[] = [];
  if (tls.version === 'TLSv1.2' && !tls.resumed) {
    found.push(waste('tls12_full_handshake', 1, rtt, 'a full TLS 1.2 handshake takes 2 round trips; TLS 1.3 takes 1'));
  }
  if (tls.helloRetry) {
    const evidence =
      'the server answered with a HelloRetryRequest: none of the key shares offered was in a group it takes';
    found.push(waste('hello_retry', 1, rtt, evidence));
  }
  return found;
}

function stallFindings(tls: Tls, flights: Flights, rtt: number): Finding[] {
  const found: Finding[] = [];
  const window = flights.stalls.filter((stall) => stall.oneRoundTrip && stall.afterBytes >= LEAST_WINDOW_BYTES);
  const [first] = window;
  if (first) found.push(waste('chain_exceeds_window', window.length, rtt, windowEvidence(first, tls)));
  const others = flights.stalls.filter((stall) => !window.includes(stall));
  const [stall] = others;
  if (stall) found.push(waste('extra_round_trip', others.length, rtt, stallEvidence(stall)));
  return found;
}

function windowEvidence({ afterBytes, gapMs }: Stall, tls: Tls): string {
  const chain = tls.certificate?.chainBytes;
  const size = chain ? `, whose certificates take ${chain} bytes,` : '';
  const usual =
    afterBytes >= USUAL_WINDOW_BYTES * 0.9 ? 'the usual initial window of 10 segments' : 'a small initial window';
  const shown = `the server's flight${size} paused for ${gapMs.toFixed(1)} ms after ${afterBytes} bytes`;
  return `${shown}, about one round trip: consistent with exceeding ${usual}`;
}

function stallEvidence({ afterBytes, gapMs }: Stall): string {
  const shown = `the server's flight paused for ${gapMs.toFixed(1)} ms after ${afterBytes} bytes`;
  return `${shown}: consistent with a lost segment, a delayed acknowledgement or a slow server`;
}

function implausibleRatio(flights: Flights, tcp: number): Finding {
  const times = (flights.answerMs / tcp).toFixed(1);
  const evidence = `the first answer of TLS took ${times} times the TCP connect: consistent with a proxy that answers connects in the server's place, with a lost segment, or with a slow server; round trips are not counted`;
  return fact('implausible_ratio', 'warning', evidence);
}
