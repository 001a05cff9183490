import { medianOf } from '#analysis/detection/statistics.ts';
import type { Milestone } from '#contract/comparison.ts';
import {
  around,
  type Blocks,
  blockOf,
  type Draw,
  deviationOf,
  type Effect,
  halfWidth,
  type VantageShift,
} from './effect.ts';
import type { Pair } from './pairs.ts';
import type { Sample } from './sample.ts';
import { type FittedLine, hodgesLehmannOf, type Interval, interquartileMean, theilSen } from './statistics.ts';

// What a shift is made of. At a vantage it is the change of the round trips times the RTT, plus the round trips times the change of the
// RTT, plus the server's work. Results count the round trips, so the first two are known; what is left is work. A network that moved says
// little of the work, since its queues are not the same for all round trips of a connection: the work is read where the network was
// steady. Where round trips are not counted they are the slope of what the network leaves over RTT (Theil and Sen).

/** How far the network's part may be off, as a share of it: a connect meets another queue than what follows. */
const NETWORK_ERROR = 0.3;
/** A network is steady whose part may be off by less, ms, or by less than the shift's standard error. */
const STEADY_MS = 0.5;
/** At least so many vantages, and such a share of them, for the work to be read at steady ones alone. */
const LEAST_STEADY = 2;
const LEAST_STEADY_SHARE = 0.25;
/** RTTs that differ by less, in ms or as a share of the largest, give no slope. */
const LEAST_RTT_SPREAD_MS = 5;
const LEAST_RTT_SPREAD = 0.2;
/** Round trips are known where at least this share of the results counts them. */
const LEAST_COUNTED = 0.5;
/** Round trips that are this near to a whole number are that. */
const NEARLY_WHOLE = 0.15;
/** After so many draws others may have their turn. */
const DRAWS_A_STEP = 8;

export type Decomposition = {
  /** What the RTT's change makes of the shift, ms. */
  network: Interval;
  /** What is left of it: round trips and work, ms. */
  server: Interval;
  /** Round trips added, and how that is known; null where they were not counted, and the slope over RTT tells no number. */
  roundTrips: Interval | null;
  by: 'counted' | 'slope' | null;
  /** Round trips added as the slope over RTT, beside those that were counted. */
  slope: Interval | null;
  workMs: Interval | null;
  /** What is left at each vantage. */
  vantages: VantageShift[];
};

/** Estimates of one set of shifts: of all results, or of a draw of the bootstrap. */
type Estimate = { server: number; trips: number; work: number; line: FittedLine | null };

/**
 * Decomposes the shift of a milestone by that of the connect at the same vantages. `leastHalfWidth` (ms) is what the server's part is
 * uncertain by at the least. It gives way (yields) every few ms.
 */
export function* decompose(
  effect: Effect,
  network: Effect,
  milestone: Milestone,
  blocks: Blocks,
  leastHalfWidth: number,
): Generator<void, Decomposition> {
  const index = new Map(network.vantages.map(({ pair }, i) => [pair.vantage.id, i]));
  const own = effect.vantages.map(({ pair }) => index.get(pair.vantage.id) as number);
  const rtts = own.map((i) => network.vantages[i] as VantageShift);
  const counts = effect.vantages.map(({ pair }) => countsOf(pair, milestone, blocks));
  const parts = partsOf(effect.vantages, rtts, counts, halfWidth(network.shift) / 2);
  const whole = parts.estimate(
    effect.vantages.map(({ shift }) => shift),
    rtts.map(({ shift }) => shift),
    null,
  );
  const known = new Map<Effect['drawn'][number], Estimate>();
  for (const [i, each] of effect.drawn.entries()) {
    if (i % DRAWS_A_STEP === 0) yield;
    if (known.has(each)) continue;
    const moved = network.drawn[i]?.shifts ?? [];
    const rtt = own.map((v) => moved[v] as number);
    known.set(each, parts.estimate(each.shifts, rtt, each.blocks));
  }
  const drawn = effect.drawn.map((each) => known.get(each) as Estimate);
  const interval = (read: (estimate: Estimate) => number | undefined, least = 0): Interval => {
    const values = drawn.flatMap((each) => read(each) ?? []);
    return around(read(whole) as number, Math.max(least, effect.wide * deviationOf(values)));
  };
  // What the network's part may be off by is added: it is the same at all vantages, so their number does not help.
  const server = interval(({ server }) => server, leastHalfWidth);
  const work = interval(({ work }) => work, leastHalfWidth);
  const slope = whole.line && interval(({ line }) => line?.slope);
  const intercept = whole.line && interval(({ line }) => line?.intercept, leastHalfWidth);
  const sloped = slope && wholeTrips(slope);
  const widened = ({ value, low, high }: Interval) => around(value, (high - low) / 2 + parts.off);
  return {
    network: around(
      effect.shift.value - server.value,
      effect.wide * deviationOf(effect.drawn.map(({ overall }, i) => overall - (drawn[i] as Estimate).server)) +
        parts.off,
    ),
    server: widened(server),
    roundTrips: parts.counted ? interval(({ trips }) => trips) : sloped,
    by: parts.counted ? 'counted' : sloped ? 'slope' : null,
    slope,
    workMs: parts.counted ? widened(work) : sloped && intercept && widened(intercept),
    vantages: parts.vantages(effect.vantages),
  };
}

/**
 * Round trips that are estimated from times and not counted. They are whole: the number is the one that the estimate is
 * near to, or the only one that its interval holds; null of any other, which may be a queue's.
 */
export function wholeTrips(estimate: Interval): Interval | null {
  const { value, low, high } = estimate;
  if (Math.abs(value - Math.round(value)) <= NEARLY_WHOLE) return estimate;
  return Math.ceil(low) === Math.floor(high) ? { value: Math.ceil(low), low, high } : null;
}

/** The server's part of the shifts of some vantages, ms, without an interval; NaN of none. */
export function serverShift(
  shifts: readonly VantageShift[],
  rtts: readonly VantageShift[],
  milestone: Milestone,
  blocks: Blocks,
): number {
  if (shifts.length === 0) return Number.NaN;
  const byId = new Map(rtts.map((each) => [each.pair.vantage.id, each]));
  const own = shifts.map(({ pair }) => byId.get(pair.vantage.id) as VantageShift);
  const counts = shifts.map(({ pair }) => countsOf(pair, milestone, blocks));
  const error = medianOf(own.map(({ error }) => error)) / Math.sqrt(own.length);
  return partsOf(shifts, own, counts, error).estimate(
    shifts.map(({ shift }) => shift),
    own.map(({ shift }) => shift),
    null,
  ).server;
}

/** What is known of the vantages: how much of their RTTs' changes is real, their round trips, and which of them are steady. */
function partsOf(
  shifts: readonly VantageShift[],
  rtts: readonly VantageShift[],
  counts: readonly (Counts | null)[],
  commonError: number,
) {
  const known = counts.flatMap((each) => each?.of(null) ?? []);
  const counted = known.length >= Math.min(3, shifts.length) && known.length >= LEAST_COUNTED * counts.length;
  const usual = counted ? medianOf(known.map(({ trips }) => trips)) : null;
  const guessed = usual ?? guessTrips(shifts);
  const usualAdded = medianOf(known.map(({ added }) => added));
  const common = medianOf(rtts.map(({ shift }) => shift));
  const keepsCommon = kept(common, commonError);
  const keeps = rtts.map(({ shift, error }) => kept(shift - common, error));
  const trips = counts.map((each) => (counted && each?.of(null)?.trips) || guessed);
  const movedBy = (rtt: readonly number[]) => {
    const drift = medianOf([...rtt]);
    return rtt.map((shift, v) => keepsCommon * drift + (keeps[v] as number) * (shift - drift));
  };
  const networkOf = (rtt: readonly number[]) => movedBy(rtt).map((moved, v) => (trips[v] as number) * moved);
  const parts = networkOf(rtts.map(({ shift }) => shift));
  const off = parts.map((part) => NETWORK_ERROR * Math.abs(part));
  const calm = shifts.flatMap(({ error }, v) => ((off[v] as number) <= Math.max(STEADY_MS, error) ? [v] : []));
  const everywhere = shifts.map((_, v) => v);
  const isEnough = calm.length >= Math.max(LEAST_STEADY, LEAST_STEADY_SHARE * shifts.length);
  const steady = isEnough ? calm : everywhere;
  const atSteady = (values: readonly number[]) => steady.map((v) => values[v] as number);

  const estimate = (shift: readonly number[], rtt: readonly number[], draw: Draw | null): Estimate => {
    const network = networkOf(rtt);
    const left = shift.map((value, v) => value - (network[v] as number));
    const added = counts.map((each) => (counted ? (each?.of(draw)?.added ?? usualAdded) : 0));
    const byTrips = added.map((each, v) => each * (shifts[v] as VantageShift).rttMs);
    const work = hodgesLehmannOf(atSteady(left.map((value, v) => value - (byTrips[v] as number))));
    return {
      server: work + (counted ? hodgesLehmannOf(byTrips) : 0),
      trips: medianOf(added),
      work,
      line: lineThrough(steady.map((v) => ({ x: (shifts[v] as VantageShift).rttMs, y: left[v] as number }))),
    };
  };
  const vantages = (of: readonly VantageShift[]): VantageShift[] =>
    of.map((vantage, v) => {
      const errorOfNetwork = (trips[v] as number) * (keeps[v] as number) * (rtts[v] as VantageShift).error;
      const error = Math.hypot(vantage.error, errorOfNetwork, off[v] as number);
      return { ...vantage, shift: vantage.shift - (parts[v] as number), error };
    });
  return { counted, estimate, vantages, off: medianOf(atSteady(off)) };
}

/** How much of a change with this standard error is kept: little of what may be chance (James and Stein's shrinkage). */
const kept = (value: number, error: number) => (value === 0 ? 0 : Math.max(0, 1 - (error / value) ** 2));

/** Round trips where they are not counted: the slope of what a milestone took over the RTTs, or at most what fits into it. */
function guessTrips(shifts: readonly VantageShift[]): number {
  const line = lineThrough(shifts.map(({ rttMs, levelMs }) => ({ x: rttMs, y: levelMs })));
  return line
    ? Math.max(1, Math.round(line.slope))
    : medianOf(shifts.map((each) => Math.floor(each.levelMs / each.rttMs)));
}

function lineThrough(points: readonly { x: number; y: number }[]): FittedLine | null {
  const largest = Math.max(...points.map(({ x }) => x));
  const spread = largest - Math.min(...points.map(({ x }) => x));
  return spread < LEAST_RTT_SPREAD_MS || spread < LEAST_RTT_SPREAD * largest ? null : theilSen(points);
}

/** The round trips of a vantage: how many on average, and how many were added, of all results or of a draw. */
type Counts = { of: (draw: Draw | null) => { trips: number; added: number } };

/** The interquartile mean of what results count on either side, so that a few that met a lost packet change nothing. */
function countsOf(pair: Pair, milestone: Milestone, blocks: Blocks): Counts | null {
  const before = sideOf(pair.before, milestone, blocks, 'before');
  const after = sideOf(pair.after, milestone, blocks, 'after');
  if (!before || !after) return null;
  return {
    of: (draw) => {
      const [from, to] = [before(draw?.before), after(draw?.after)];
      return { trips: (from + to) / 2, added: to - from };
    },
  };
}

function sideOf(samples: readonly Sample[], milestone: Milestone, blocks: Blocks, side: 'before' | 'after') {
  const counts = samples.flatMap(({ trips, at }) => {
    const value = trips?.[milestone] ?? null;
    return value === null ? [] : { value, block: blockOf(at, blocks[side], blocks.lengthMs) };
  });
  if (counts.length === 0 || counts.length < LEAST_COUNTED * samples.length) return null;
  counts.sort((a, b) => a.value - b.value);
  const [first, last] = [counts[0], counts.at(-1)] as [{ value: number }, { value: number }];
  const usual = interquartileMean(counts, undefined);
  return (drawn: Uint16Array | undefined) =>
    drawn === undefined || first.value === last.value ? usual : interquartileMean(counts, drawn);
}
