/**
 * One target at one vantage. Carriers that share a name in two countries are two; two vantages may share region and carrier.
 * Handshakes that offered to resume a session are a series of their own.
 */
export type Series = {
  target: string;
  vantage: string;
  country: string;
  region: string;
  carrier: string;
  /** Absent: full handshakes. */
  variant?: 'resumed';
};

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
  /** Of a handshake that offered a session: whether the server refused it. Absent where none was offered, or it failed. */
  refused?: boolean;
  /** How much of the durations may be the prober's own delay, ms; absent: 0. */
  ownDelay?: number;
  /** False: so much of them is that they say nothing but `ownDelay`. */
  clean?: boolean;
};

/** A sample and the index of its series, as `Detector.indexOf` gives it. */
export type SeriesSample = { index: number; sample: Sample };

/** The server's think time, ms: first byte less the round trip that brings it. Null where either is missing. */
export function thinkTime(sample: Sample): number | null {
  return sample.firstByte === null || sample.tcp === null ? null : sample.firstByte - sample.tcp;
}
