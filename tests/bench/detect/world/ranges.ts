import type { Random } from './random.ts';

/** Worlds of different style. `recorded` imitates archives of pings: nothing but the round trip, moved in steps by routing. */
export const STYLES = [
  'calm',
  'lossy',
  'wandering',
  'two-mode',
  'bursty',
  'long-period',
  'near',
  'recorded',
  'sparse',
] as const;
export type Style = (typeof STYLES)[number];

/** From..to of a prior; most are spread evenly over orders of magnitude. */
export type Range = readonly [low: number, high: number];

/** Ranges from which series, targets and events of one world are drawn. Times in seconds; spreads are deviations of a logarithm. */
export type WorldRanges = {
  style: Style;
  periodSeconds: Range;
  days: Range;
  warmUpDays: Range;
  /** Jitter of single samples. */
  jitter: Range;
  /** Deviation and memory of the autocorrelated part (minutes to an hour). */
  correlatedNoise: Range;
  correlatedSeconds: Range;
  /** Share of the correlated noise that all series of a carrier have in common, and how much busy machines lengthen work. */
  shared: Range;
  load: Range;
  /** Deviation of the slow wander of a series (memory of half a day to three days). */
  wander: Range;
  /** Share of samples in the heavy tail. */
  tail: Range;
  /** Share of handshakes that lose a segment: +200 ms. Lost SYNs (+1 s, +3 s) are rarer by `synLoss`. */
  loss: Range;
  synLoss: Range;
  /** How much longer round trips are at the height of the evening, by carrier, and how evenings differ. */
  dailyPeak: Range;
  dailyPeakVariety: Range;
  /** Chance that a series is spread over two or three paths of different length. */
  multipath: number;
  /** Chance that a target's handshakes are partly resumed. */
  resuming: number;
  /** Multiplies the rates of spikes, of shifts and of what must not be alerted on. */
  spikes: Range;
  shifts: Range;
  noises: Range;
  failure: Range;
  /** Gaps per vantage and week. */
  gaps: Range;
  /** Factor on all distances: small for targets next door. */
  distance: Range;
};

const ORDINARY: Omit<WorldRanges, 'style'> = {
  periodSeconds: [30, 300],
  days: [3, 21],
  warmUpDays: [1, 5],
  jitter: [0.008, 0.09],
  correlatedNoise: [0.004, 0.04],
  correlatedSeconds: [120, 2_400],
  shared: [0.02, 0.6],
  load: [0.005, 0.08],
  wander: [0.002, 0.03],
  tail: [0.0005, 0.015],
  loss: [0.0005, 0.02],
  synLoss: [0.02, 0.25],
  dailyPeak: [0.02, 0.35],
  dailyPeakVariety: [0.05, 0.2],
  multipath: 0.12,
  resuming: 0.35,
  spikes: [0.6, 1.7],
  shifts: [0.6, 1.7],
  noises: [0.5, 2],
  failure: [0.00005, 0.005],
  gaps: [0.2, 2],
  distance: [0.6, 1.6],
};

const PECULIAR: Record<Style, Partial<WorldRanges>> = {
  calm: {
    jitter: [0.004, 0.03],
    correlatedNoise: [0.001, 0.012],
    wander: [0.001, 0.008],
    tail: [0.0003, 0.004],
    multipath: 0,
  },
  lossy: { loss: [0.01, 0.15], synLoss: [0.05, 0.4], tail: [0.002, 0.03], failure: [0.001, 0.02] },
  wandering: {
    correlatedNoise: [0.015, 0.07],
    correlatedSeconds: [900, 5_400],
    wander: [0.015, 0.055],
    noises: [1, 2.5],
  },
  'two-mode': { multipath: 0.6, resuming: 0.9, jitter: [0.005, 0.05] },
  bursty: { tail: [0.005, 0.04], noises: [2, 5], correlatedNoise: [0.01, 0.06], jitter: [0.02, 0.12], gaps: [1, 5] },
  'long-period': { periodSeconds: [200, 300], days: [7, 21] },
  // Beyond the periods that a sample file is specified for: a few dozen samples a day.
  sparse: { periodSeconds: [900, 3_000], days: [10, 21] },
  near: { distance: [0.03, 0.2], jitter: [0.01, 0.12] },
  recorded: {
    periodSeconds: [180, 300],
    jitter: [0.001, 0.02],
    correlatedNoise: [0.001, 0.015],
    wander: [0.0005, 0.006],
    tail: [0.002, 0.04],
    loss: [0.00001, 0.0001],
    dailyPeak: [0.003, 0.15],
    multipath: 0.35,
    resuming: 0,
    shifts: [0.7, 3],
    distance: [0.5, 3],
  },
};

/** The ranges of one world. Each range is narrowed at random, so that worlds differ among themselves. */
export function drawRanges(style: Style, random: Random): WorldRanges {
  const ranges: WorldRanges = { ...ORDINARY, ...PECULIAR[style], style };
  return {
    ...ranges,
    jitter: narrow(ranges.jitter, random),
    correlatedNoise: narrow(ranges.correlatedNoise, random),
    wander: narrow(ranges.wander, random),
    tail: narrow(ranges.tail, random),
    loss: narrow(ranges.loss, random),
    dailyPeak: narrow(ranges.dailyPeak, random),
    failure: narrow(ranges.failure, random),
  };
}

/** About half of the range, in orders of magnitude, somewhere inside it. */
function narrow([low, high]: Range, random: Random): Range {
  const a = random.logUniform(low, high);
  const b = random.logUniform(low, high);
  const widening = (high / low) ** 0.1;
  return [Math.max(low, Math.min(a, b) / widening), Math.min(high, Math.max(a, b) * widening)];
}

/** A value of a range, evenly over orders of magnitude. */
export function within([low, high]: Range, random: Random): number {
  return random.logUniform(low, high);
}
