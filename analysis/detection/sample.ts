/** What is watched: one target from one vantage (province and carrier). Called a line, as on a chart. */
export type Series = { target: string; province: string; carrier: string };

/** One probe. Durations in ms; null where the phase did not happen. */
export type Sample = {
  /** Epoch seconds, UTC, whole. */
  timestamp: number;
  /** TCP connect. */
  connect: number | null;
  /** TLS handshake after connect. */
  tls: number | null;
  /** First byte after the handshake. */
  firstByte: number | null;
  ok: boolean;
};

/** A sample and the number of its line, as the detector gives it. */
export type LineSample = { line: number; sample: Sample };

/** The server's time to think, in ms: first byte less the round trip that brings it. Null where either is missing. */
export function thinkTime(sample: Sample): number | null {
  return sample.firstByte === null || sample.connect === null ? null : sample.firstByte - sample.connect;
}
