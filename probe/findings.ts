import type { Finding, Result } from '#contract/result.ts';
import type { Flights, Stall } from './flights.ts';
import { implausible } from './flights.ts';
import { roundMs } from './phases.ts';

/** Bytes that ten segments hold: what servers send before they wait for an acknowledgement (RFC 6928). */
const USUAL_WINDOW_BYTES = 14_600;
/** A stall after this few bytes is no filled window: the smallest windows in use hold two segments. */
const LEAST_WINDOW_BYTES = 2_000;
const EXPIRES_SOON_DAYS = 21;
const DAY_MS = 86_400_000;

type Code = Finding['code'];
type Tls = NonNullable<Result['tls']>;

/**
 * What this one result shows to be wasteful or wrong, the costliest first. `flights` are its handshake's arrivals. Says
 * "consistent with" wherever the records do not prove the cause.
 */
export function findingsOf(result: Result, flights: Flights | null, offeredHttp2 = true): Finding[] {
  const { tls } = result;
  if (!tls) return [];
  const found = [
    ...roundTripFindings(result, tls, flights),
    ...stapleFindings(tls),
    ...certificateFindings(result, tls),
    ...(offeredHttp2 ? httpFindings(result) : []),
  ];
  return found.sort((a, b) => (b.savesMs ?? 0) - (a.savesMs ?? 0));
}

function roundTripFindings(result: Result, tls: Tls, flights: Flights | null): Finding[] {
  const tcp = result.phases.tcp;
  const { expectedRoundTrips: expected } = tls.handshake;
  if (tcp === null || expected === null || !flights) return [];
  if (implausible(flights, tcp)) return [implausibleRatio(flights, tcp)];
  const rtt = Math.min(tcp, flights.rttMs);
  const found: Finding[] = [];
  if (tls.version === 'TLSv1.2' && !tls.resumed) {
    found.push(waste('tls12_full_handshake', 1, rtt, 'a full TLS 1.2 handshake takes 2 round trips; TLS 1.3 takes 1'));
  }
  if (tls.helloRetry) {
    const evidence =
      'the server answered with a HelloRetryRequest: none of the key shares offered was in a group it takes';
    found.push(waste('hello_retry', 1, rtt, evidence));
  }
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

function stapleFindings({ staple, certificate, resumed }: Tls): Finding[] {
  if (resumed || !certificate) return [];
  const severity = certificate.mustStaple ? 'critical' : 'warning';
  const found: Finding[] = [];
  const { status, nextUpdate } = staple;
  if (status === 'stale')
    found.push(fact('staple_stale', severity, `the stapled OCSP response expired on ${nextUpdate}`));
  if (status === 'missing') {
    found.push(fact('staple_missing', severity, 'the certificate names an OCSP responder, but nothing was stapled'));
  }
  if (status === 'revoked') found.push(fact('staple_revoked', 'critical', 'the stapled OCSP response says: revoked'));
  const useless = status === 'invalid' || status === 'malformed' || status === 'unsuccessful' || status === 'unknown';
  if (useless) found.push(fact('staple_invalid', severity, `the stapled OCSP response is ${status}`));
  if (certificate.mustStaple && status !== 'good' && status !== 'not_observed') {
    const evidence = `the certificate demands a staple (RFC 7633), and the staple is ${status}`;
    found.push(fact('must_staple_violated', 'critical', evidence));
  }
  return found;
}

function certificateFindings(result: Result, { certificate }: Tls): Finding[] {
  if (!certificate?.notAfter) return [];
  const days = (Date.parse(certificate.notAfter) - Date.parse(result.startedAt)) / DAY_MS;
  if (days < 0 || days >= EXPIRES_SOON_DAYS) return [];
  const evidence = `the certificate expires on ${certificate.notAfter}, in ${Math.floor(days)} days`;
  return [fact('cert_expires_soon', days < 7 ? 'critical' : 'warning', evidence)];
}

function httpFindings({ http }: Result): Finding[] {
  if (!http || http.version === '2') return [];
  return [fact('http1_only', 'info', `the server spoke HTTP/${http.version}`)];
}

function waste(code: Code, roundTrips: number, rttMs: number, evidence: string): Finding {
  return { code, severity: 'warning', savesRoundTrips: roundTrips, savesMs: roundMs(roundTrips * rttMs), evidence };
}

function fact(code: Code, severity: Finding['severity'], evidence: string): Finding {
  return { code, severity, savesRoundTrips: null, savesMs: null, evidence: evidence.slice(0, 1_000) };
}
