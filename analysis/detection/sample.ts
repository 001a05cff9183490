/**
 * One target at one vantage. Carriers that share a name in two countries are two; two vantages may share region and carrier.
 */
export type Series = { target: string; vantage: string; country: string; region: string; carrier: string };

/** One probe. Durations in ms; null where the phase did not happen. */
export type Sample = {
  /** Epoch seconds, UTC, whole. */
  timestamp: number;
  /** TCP connect. */
  tcp: number | null;
  /** TLS handshake after connect. */
  tls: number | null;
  /** First byte after the handshake. */
  firstByte: number | null;
  ok: boolean;
};

/** A sample and the index of its series, as `Detector.indexOf` gives it. */
export type SeriesSample = { index: number; sample: Sample };

/** The server's think time, ms: first byte less the round trip that brings it. Null where either is missing. */
export function thinkTime(sample: Sample): number | null {
  return sample.firstByte === null || sample.tcp === null ? null : sample.firstByte - sample.tcp;
}
