import { madSigma, meanOf, medianOf } from '#analysis/detection/statistics.ts';
import { Random } from '#analysis/synthetic/random.ts';
import type { Pair, Window } from './pairs.ts';
import type { Sample } from './sample.ts';
import {
  type Blocked,
  blocked,
  drawnShift,
  hodgesLehmannOf,
  type Interval,
  meanShift,
  studentQuantile,
  studentTails,
} from './statistics.ts';

// How sure a shift is. What disturbs a measurement lasts: a busy machine, a queue on a path. So not single results are drawn
// again but whole blocks of time, the same ones at all vantages, since they may be disturbed together; and where there are few
// blocks the interval is as wide as Student's t makes it.

/** Draws of the bootstrap: so many give a standard error to 4%; those of what stands beside, to 7%. */
const DRAWS = 300;
const DRAWS_BESIDE = 100;
/** After so many draws others may have their turn: some ms with a hundred vantages. */
const DRAWS_A_STEP = 8;
/** A fixed seed: the same data give the same answer. */
const SEED = 20_261_127;
/** Intervals are of 95%. */
export const LEVEL = 0.05;
/** Fewer pairs of results, or vantages, give no figure. */
export const LEAST_PAIRS = 20;
export const LEAST_VANTAGES = 3;
/** Variance of the Hodges-Lehmann shift of normal samples over that of the difference of means. */
const VARIANCE_RATIO = Math.PI / 3;

/** Both windows, cut in blocks of one length; the last of each takes what is left. */
export type Blocks = { before: Window; after: Window; lengthMs: number };

/** Length of the blocks that the bootstrap draws. */
const BLOCK_MS = 10 * 60_000;

/** Blocks of `longestMs`, or of half the shorter window where that is less: each side has two at the least. */
export function blocksOf(before: Window, after: Window, longestMs: number = BLOCK_MS): Blocks {
  const shorter = Math.min(before.to - before.from, after.to - after.from);
  return { before, after, lengthMs: Math.min(longestMs, shorter / 2) };
}

/** What is compared of a sample, ms; null where it has none. */
export type Reading = (sample: Sample) => number | null;

/** Its round-trip time. */
export const rttOf: Reading = ({ rttMs }) => rttMs;

/** A vantage's shift, in ms; `error` is its standard error, without what all vantages share. */
export type VantageShift = {
  pair: Pair;
  rttMs: number;
  /** The middle of the values on both sides, ms. */
  levelMs: number;
  shift: number;
  error: number;
  freedom: number;
};

export type Effect = {
  before: number;
  after: number;
  shift: Interval;
  vantages: VantageShift[];
  /** The shift of each of these vantages in each draw of the bootstrap, that over all of them, and the blocks that it drew. */
  drawn: { shifts: number[]; overall: number; blocks: Draw }[];
  /** Half the width of a 95% interval, in standard deviations of the draws. */
  wide: number;
};

/** How often each block of either side was drawn. */
export type Draw = { before: Uint16Array; after: Uint16Array };

type EffectOptions = { leastVantages: number; leastPairs: number; beside?: boolean; by?: typeof drawnShift };

/** What most things compared are asked for, and the round-trip time, of which means are compared. */
export const LEAST: EffectOptions = { leastVantages: LEAST_VANTAGES, leastPairs: LEAST_PAIRS };
export const RTT: EffectOptions = { ...LEAST, by: meanShift };

/**
 * What a value (ms, or null where a sample has none) shifted by at the vantages that have it on both sides; null where fewer than
 * `leastVantages` do, or fewer than `leastPairs` of their results: most results may be without it. What stands `beside` the milestones
 * has fewer draws. It gives way (yields) every few ms, since many vantages take seconds.
 */
export function* effectOf(
  all: readonly Pair[],
  read: Reading,
  blocks: Blocks,
  { leastVantages, leastPairs, beside = false, by = drawnShift }: EffectOptions,
): Generator<void, Effect | null> {
  const sides = shiftsOf(all, read, blocks, by);
  const pairs = sides.reduce((sum, { before, after }) => sum + Math.min(before.values.length, after.values.length), 0);
  if (sides.length < leastVantages || pairs < leastPairs) return null;
  const drawn: Effect['drawn'] = [];
  // Few blocks have few draws that differ: two on each side have nine.
  const known = new Map<string, Effect['drawn'][number]>();
  for (const [i, draw] of drawBlocks(blocks, beside ? DRAWS_BESIDE : DRAWS).entries()) {
    if (i % DRAWS_A_STEP === 0) yield;
    const key = `${draw.before} ${draw.after}`;
    if (!known.has(key)) {
      const shifts = sides.map((side) => orElse(by(side.after, side.before, draw, side.shift), side.shift));
      known.set(key, { shifts, overall: hodgesLehmannOf(shifts), blocks: draw });
    }
    drawn.push(known.get(key) as Effect['drawn'][number]);
  }
  const wide = widthOf(blocks);
  const shift = around(
    hodgesLehmannOf(sides.map((side) => side.shift)),
    wide * deviationOf(drawn.map(({ overall }) => overall)),
  );
  const errors = sides.map(({ error }) => error);
  const inflation = inflationOf(drawn, errors, blocks);
  return {
    before: medianOf(sides.map((side) => medianOf(side.before.values))),
    after: medianOf(sides.map((side) => medianOf(side.after.values))),
    shift,
    vantages: sides.map(({ before, after, ...vantage }) => ({ ...vantage, error: vantage.error * inflation })),
    drawn,
    wide,
  };
}

const ofBlock = (value: number | null, block: number) => (value === null ? [] : [{ value, block }]);

/** Some vantages' shifts as one, ms: `common` (ms) is how far all vantages may have drifted together. */
export function shiftOf(vantages: readonly VantageShift[], common: number): { shift: Interval; p: number } {
  const value = hodgesLehmannOf(vantages.map(({ shift }) => shift));
  const error = Math.sqrt(meanOf(vantages.map((vantage) => vantage.error ** 2)) / vantages.length);
  const freedom = vantages.reduce((sum, vantage) => sum + vantage.freedom, 0);
  const beyond = Math.max(0, Math.abs(value) - common);
  return {
    shift: around(value, common + error * studentQuantile(LEVEL, freedom)),
    p: beyond === 0 ? 1 : studentTails(beyond / error, freedom),
  };
}

export const halfWidth = ({ low, high }: Interval) => (high - low) / 2;

export const around = (value: number, half: number): Interval => ({ value, low: value - half, high: value + half });
const orElse = (value: number, instead: number) => (Number.isNaN(value) ? instead : value);

type Sides = VantageShift & { before: Blocked; after: Blocked };

/** Clocks stamp to about so much; a spread below it is no spread (ms). */
const RESOLUTION_MS = 0.01;
/** How many degrees of freedom the variance that vantages share weighs: a vantage of few results hardly knows its own. */
const SHARED_FREEDOM = 4;

/** The vantages that have the value on both sides, with their shifts and standard errors (a moderated t: Smyth 2004), without draws. */
export function shiftsOf(all: readonly Pair[], read: Reading, blocks: Blocks, by = drawnShift): Sides[] {
  const side = (samples: readonly Sample[], window: Window) =>
    blocked(samples.flatMap((sample) => ofBlock(read(sample), blockOf(sample.at, window, blocks.lengthMs))));
  const sides = all.flatMap((pair) => {
    const before = side(pair.before, blocks.before);
    const after = side(pair.after, blocks.after);
    const [n, m] = [before.values.length, after.values.length];
    if (n === 0 || m === 0) return [];
    const near = medianOf(after.values) - medianOf(before.values);
    const shift = by(after, before, everyBlockOnce(blocks), near);
    const variance = n + m > 2 ? varianceOf(before, after, by) : 0;
    return { pair, before, after, shift, variance, n, m };
  });
  const known = sides.filter(({ n, m }) => n + m > 4).map(({ variance }) => variance);
  const shifts = sides.map(({ shift }) => shift);
  const shared = known.length > 0 ? medianOf(known) : madSigma(shifts, medianOf(shifts)) ** 2 + RESOLUTION_MS ** 2;
  return sides.map(({ pair, before, after, shift, variance, n, m }) => {
    const freedom = n + m - 2 + SHARED_FREEDOM;
    const moderated = ((n + m - 2) * variance + SHARED_FREEDOM * shared) / freedom;
    const error = Math.sqrt(VARIANCE_RATIO * moderated * (1 / n + 1 / m));
    const levelMs = (medianOf(before.values) + medianOf(after.values)) / 2;
    return { pair, before, after, shift, error, freedom, levelMs, rttMs: middleRttOf(pair) };
  });
}

const madVariance = ({ values }: Blocked) => Math.max(RESOLUTION_MS, madSigma([...values], medianOf(values))) ** 2;

/**
 * The variance of a result. For a mean it is that of the side that varies more: queues are skewed, and of 20 exponential values
 * Student's intervals of 95% hold the mean in 91%.
 */
function varianceOf(before: Blocked, after: Blocked, by: typeof drawnShift): number {
  const [n, m] = [before.values.length - 1, after.values.length - 1];
  if (by === drawnShift) return (madVariance(before) * n + madVariance(after) * m) / (n + m);
  return Math.max(RESOLUTION_MS, ...[before, after].map(({ values }) => deviationOf([...values]))) ** 2;
}

/** The middle of what the connect took before and after, ms. */
const middleRttOf = ({ before, after }: Pair) =>
  (medianOf(before.map(({ rttMs }) => rttMs)) + medianOf(after.map(({ rttMs }) => rttMs))) / 2;

/**
 * By how much what lasts for a while at a vantage (less what all share) makes its standard error larger than that of independent
 * results: the median over the vantages, since one alone has too few blocks to tell; 1 at the least.
 */
function inflationOf(drawn: Effect['drawn'], errors: readonly number[], blocks: Blocks): number {
  const correction = correctionOf(blocks);
  // The median of them, which a carrier whose queues grew does not move.
  const shared = drawn.map(({ shifts }) => medianOf(shifts));
  const ratios = errors.map(
    (error, v) =>
      (correction * deviationOf(drawn.map(({ shifts }, d) => (shifts[v] as number) - (shared[d] as number)))) / error,
  );
  return Math.max(1, medianOf(ratios));
}

const countOf = ({ from, to }: Window, lengthMs: number) => Math.max(2, Math.round((to - from) / lengthMs));
export const blockOf = (at: number, window: Window, lengthMs: number) =>
  Math.max(0, Math.min(countOf(window, lengthMs) - 1, Math.floor((at - window.from) / lengthMs)));

const everyBlockOnce = ({ before, after, lengthMs }: Blocks) => ({
  before: new Uint16Array(countOf(before, lengthMs)).fill(1),
  after: new Uint16Array(countOf(after, lengthMs)).fill(1),
});

/** Which blocks are drawn how often, with replacement, as many as there are on each side. */
function drawBlocks({ before, after, lengthMs }: Blocks, draws: number): Draw[] {
  const random = new Random(SEED);
  const draw = (blocks: number) => {
    const times = new Uint16Array(blocks);
    for (let i = 0; i < blocks; i++) {
      const block = random.integer(0, blocks - 1);
      times[block] = (times[block] as number) + 1;
    }
    return times;
  };
  return Array.from({ length: draws }, () => ({
    before: draw(countOf(before, lengthMs)),
    after: draw(countOf(after, lengthMs)),
  }));
}

/** A bootstrap of k blocks finds a standard deviation that is sqrt((k - 1) / k) of the true one. */
function correctionOf({ before, after, lengthMs }: Blocks): number {
  const fewest = Math.min(countOf(before, lengthMs), countOf(after, lengthMs));
  return Math.sqrt(fewest / (fewest - 1));
}

/** Half the width of a 95% interval, in standard deviations of the bootstrap. */
function widthOf(blocks: Blocks): number {
  const freedom = countOf(blocks.before, blocks.lengthMs) + countOf(blocks.after, blocks.lengthMs) - 2;
  return studentQuantile(LEVEL, freedom) * correctionOf(blocks);
}

/** Standard deviation. */
export function deviationOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2)));
}
