/** What moves TLS time, as detector.md names it. */
export type Cause = 'network' | 'server' | 'tls';

/** What an event does to a series while it lasts, at full weight. Neutral: factors 1, sums 0. */
export type Effect = {
  /** The round trip becomes `rttFactor` times as long, and `rttMs` longer. */
  rttFactor?: number;
  rttMs?: number;
  /** Work in the handshake, milliseconds, the same from everywhere. */
  serverMs?: number;
  /** Round trips more (or less) in every handshake. */
  roundTrips?: number;
  /** Share of resumed handshakes while it lasts. */
  resumedShare?: number;
  firstByteMs?: number;
  dnsFactor?: number;
  /** The jitter of single samples becomes so many times as wide, around the same mean. */
  spread?: number;
  /** Segments are lost so many times as often. */
  lossFactor?: number;
  /** Share of probes that fail. */
  failing?: number;
};

export const NOISE_KINDS = ['odd', 'variance', 'dns', 'first-byte', 'drift', 'failures'] as const;
export type NoiseKind = (typeof NOISE_KINDS)[number];

/** How an event comes and goes: at once, in a ramp up at its beginning, a triangle, or a ramp over all its length. */
export type Shape = 'box' | 'ramp' | 'triangle' | 'slope';

/** One happening on one series. Epoch seconds; `end` is exclusive and Infinity for what stays. */
export type SeriesEvent = {
  kind: 'spike' | 'shift' | NoiseKind;
  cause: Cause | null;
  /** The same for all series that one happening touches. */
  incident: string;
  start: number;
  end: number;
  shape: Shape;
  /** Seconds of a `ramp`, or until a `slope` is at full weight. */
  rampSeconds: number;
  /** Share of samples that are touched. */
  hitShare: number;
  /** At most so many samples are touched. */
  maxSamples: number;
  effect: Effect;
};

/** Weight of an event at an instant, 0 to 1. */
export function weightAt(event: SeriesEvent, at: number): number {
  if (at < event.start || at >= event.end) return 0;
  const passed = at - event.start;
  switch (event.shape) {
    case 'box':
      return 1;
    case 'ramp':
    case 'slope':
      return event.rampSeconds <= 0 ? 1 : Math.min(1, passed / event.rampSeconds);
    case 'triangle': {
      const middle = (event.end - event.start) / 2;
      return 0.35 + 0.65 * (1 - Math.abs(passed - middle) / middle);
    }
  }
}
