// The life of a comparison: two windows of one target's results (samples of sample.ts) are paired by vantage (pairs.ts); where
// they can't be compared, the answer is why. Else each milestone's shift is estimated with its interval (effect.ts), over all
// vantages and by region and carrier, and decomposed (decomposition.ts): the network's part, round trips that came or went, and the
// server's own work. The direction is that of the server's part; whose network moved is said beside it (network.ts). Controls say what
// moved besides: other targets, and the same target before that. What flipped in the posture (posture.ts) is held against what was
// measured (attribution.ts), of the main handshake and of the other variants. Pure: the same samples give the same answer.

import { ascending, meanOf, quantileOf } from '#analysis/detection/statistics.ts';
import {
  COMPARED_PHASES,
  type ComparisonFigures,
  type ComparisonInterval,
  type ComparisonOutcome,
  type ComparisonRefusal,
  type Direction,
  MILESTONES,
  type Milestone,
  type MilestoneEffect,
  type VariantComparison,
} from '#contract/comparison.ts';
import type { MeasuredVariant } from '#contract/vocabulary.ts';
import { attribute, type Predicting, tableOf } from './attribution.ts';
import { type Decomposition, decompose, serverShift, wholeTrips } from './decomposition.ts';
import {
  type Blocks,
  blocksOf,
  type Effect,
  effectOf,
  halfWidth,
  LEVEL,
  type Reading,
  shiftOf,
  shiftsOf,
} from './effect.ts';
import { mixtureOf } from './mixture.ts';
import { networkMoves } from './network.ts';
import { countPairs, longestGap, type Pair, type Pairing, pairByVantage, type Window } from './pairs.ts';
import { flipsOf, LEAST_RESULTS, settingShares } from './posture.ts';
import type { Sample } from './sample.ts';
import { holm, type Interval, isOtherShare, meanShift, studentQuantile } from './statistics.ts';

/** Fewer pairs of results, or vantages, give no figure. */
export const LEAST_PAIRS = 20;
export const LEAST_VANTAGES = 3;
/** Windows that are further apart are not compared: too much else changes meanwhile. */
export const LARGEST_DISTANCE_MS = 24 * 3_600_000;
/** A stretch of a window without any result: at most so long, or this share of the window where that is longer. */
const LONGEST_HOLE_MS = 10 * 60_000;
const LONGEST_HOLE_SHARE = 1 / 3;
/** Length of the blocks that the bootstrap draws. */
const BLOCK_MS = 10 * 60_000;
/** Vantages of a group whose standard error is so many times the least say little beside the others. */
const LARGEST_ERROR = 3;
/** A change that somebody noted inside the windows, besides the one that the comparison is about. */
type OtherChange = { at: number; title: string };
type Earlier = { window: Window; samples: readonly Sample[] };
type OtherVariant = { variant: MeasuredVariant; before: readonly Sample[]; after: readonly Sample[] };
type OtherTarget = { id: string; name: string; before: readonly Sample[]; after: readonly Sample[] };

export type ComparisonOptions = {
  /** The windows; left out: from the first to the last sample of each side. */
  windows?: { before: Window; after: Window };
  /** The moment that vantages and cells are about. */
  milestone?: Milestone;
  /** Longest block of the bootstrap, ms. */
  blockMs?: number;
  /** The same target in windows before `before`, of its length, the latest first: A against A. */
  earlier?: readonly Earlier[];
  otherTargets?: readonly OtherTarget[];
  /** The other handshakes of the same checks. */
  variants?: readonly OtherVariant[];
  otherChanges?: readonly OtherChange[];
  /** What a flip should change between such samples; left out: by the table of round trips. */
  predict?: Predicting;
};

/**
 * Compares results of a target after a change with those before. A negative shift is a gain. In steps of some ms (each `yield`), for a
 * process that has other things to do: a hundred vantages take seconds.
 */
export function* comparing(
  before: readonly Sample[],
  after: readonly Sample[],
  options: ComparisonOptions = {},
): Generator<void, ComparisonOutcome> {
  const windows = options.windows ?? { before: extentOf(before), after: extentOf(after) };
  const pairing = pairByVantage(before, after);
  const refusal = yield* refusalOf(before, after, windows, pairing, options.otherChanges ?? []);
  if (refusal) return { refusal, figures: null };
  const figures = yield* figuresOf(pairing, windows, options);
  if (figures) return { refusal: null, figures: rounded(figures) };
  const reached = ({ milestones }: Sample) => milestones[options.milestone ?? 'total'] !== null;
  return { refusal: tooFew(pairByVantage(before.filter(reached), after.filter(reached))), figures: null };
}

function extentOf(samples: readonly Sample[]): Window {
  if (samples.length === 0) return { from: 0, to: 0 };
  return {
    from: samples.reduce((least, { at }) => Math.min(least, at), Infinity),
    to: samples.reduce((most, { at }) => Math.max(most, at), 0) + 1,
  };
}

type Windows = { before: Window; after: Window };

function* refusalOf(
  before: readonly Sample[],
  after: readonly Sample[],
  windows: Windows,
  pairing: Pairing,
  changes: readonly OtherChange[],
): Generator<void, ComparisonRefusal | null> {
  const { pairs } = pairing;
  if (before.length === 0 || after.length === 0) return tooFew(pairing);
  if (windows.before.from < windows.after.to && windows.after.from < windows.before.to)
    return { reason: 'overlap', values: {} };
  const distance = Math.max(windows.after.from - windows.before.to, windows.before.from - windows.after.to);
  if (distance > LARGEST_DISTANCE_MS) return { reason: 'gap', values: { between: 'windows', ms: distance } };
  if (pairs.length < LEAST_VANTAGES || countPairs(pairs) < LEAST_PAIRS) return tooFew(pairing);
  for (const side of ['before', 'after'] as const) {
    const window = windows[side];
    const hole = longestGap(
      window,
      pairs.flatMap((pair) => pair[side]),
    );
    if (hole > Math.max(LONGEST_HOLE_MS, LONGEST_HOLE_SHARE * (window.to - window.from)))
      return { reason: 'gap', values: { between: side, ms: hole } };
  }
  return yield* secondChange(windows, pairs, changes);
}

const tooFew = ({ pairs }: Pairing): ComparisonRefusal => ({
  reason: 'too_few',
  values: { pairs: countPairs(pairs), vantages: pairs.length, leastPairs: LEAST_PAIRS, leastVantages: LEAST_VANTAGES },
});

/** Another change inside a window: one that somebody noted, or a setting that flips in its middle. */
function* secondChange(
  windows: Windows,
  pairs: readonly Pair[],
  changes: readonly OtherChange[],
): Generator<void, ComparisonRefusal | null> {
  for (const side of ['before', 'after'] as const) {
    const { from, to } = windows[side];
    const noted = changes.find(({ at }) => at > from && at < to);
    if (noted) return { reason: 'two_changes', values: { window: side, marker: noted.title } };
    yield;
    const middle = (from + to) / 2;
    const samples = pairs.flatMap((pair) => pair[side]);
    const [flip] = flipsOf(
      samples.filter(({ at }) => at < middle),
      samples.filter(({ at }) => at >= middle),
    );
    if (flip) return { reason: 'two_changes', values: { window: side, setting: flip.setting } };
  }
  return null;
}

function* figuresOf(
  { pairs, onlyBefore, onlyAfter }: Pairing,
  windows: Windows,
  options: ComparisonOptions,
): Generator<void, ComparisonFigures | null> {
  const { milestone = 'total', blockMs = BLOCK_MS } = options;
  const blocks = blocksOf(windows.before, windows.after, blockMs);
  const read: Reading = (sample) => sample.milestones[milestone];
  const still = yield* earlierWindows(pairs, windows.before, options);
  const network = yield* effectOf(pairs, rttOf, blocks, RTT);
  if (!network) return null;
  const found = yield* milestonesOf(pairs, network, blocks, still, blockMs);
  const own = found[milestone];
  if (!own) return null;
  const { effect, parts } = own;
  const [before, after] = [pairs.flatMap((pair) => pair.before), pairs.flatMap((pair) => pair.after)];
  const phases = yield* phasesOf(pairs, blocks);
  const controls = {
    earlier: yield* earlierShift(still, blockMs, read),
    others: yield* othersOf(pairs, blocks, options, read),
  };
  yield;
  const groups = yield* groupsOf(effect, parts, network);
  yield;
  const measured = { milestone, network, blocks, still, blockMs, own };
  const attributed = yield* attributedOf(pairs, measured, options.predict ?? tableOf);
  const variants = yield* variantsOf(windows, options);
  const presentedAll = presentedMilestones(found);
  const regions = groups.regions.map(({ direction }) => direction);
  return {
    milestone,
    pairs: countPairs(pairs),
    blockMs: blocks.lengthMs,
    milestones: { ...presentedAll, [milestone]: { ...presentedAll[milestone], direction: agreed(parts, regions) } },
    network: network.shift,
    networkMoves: networkMoves(network),
    variants,
    phases,
    ...groups,
    onlyBefore,
    onlyAfter,
    controls,
    ...attributed,
    shares: settingShares(before, after),
    distribution: distributionOf(before, after, read),
  };
}

const LEAST = { leastVantages: LEAST_VANTAGES, leastPairs: LEAST_PAIRS };
const RTT = { ...LEAST, by: meanShift };

const rttOf: Reading = ({ rttMs }) => rttMs;

/** A milestone's shift, and what it is made of. */
type Found = { effect: Effect; parts: Decomposition };

function* milestonesOf(
  pairs: readonly Pair[],
  network: Effect,
  blocks: Blocks,
  still: readonly Earlier[],
  blockMs: number,
): Generator<void, Record<Milestone, Found | null>> {
  const found = {} as Record<Milestone, Found | null>;
  for (const name of MILESTONES) {
    yield;
    found[name] = yield* foundOf(pairs, { milestone: name, network, blocks, still, blockMs });
  }
  return found;
}

/** What a milestone is measured with: the network of all vantages, blocks, and the windows before. */
type Measure = { milestone: Milestone; network: Effect; blocks: Blocks; still: readonly Earlier[]; blockMs: number };

function* foundOf(
  pairs: readonly Pair[],
  { milestone, network, blocks, still, blockMs }: Measure,
): Generator<void, Found | null> {
  const effect = yield* effectOf(pairs, ({ milestones }) => milestones[milestone], blocks, LEAST);
  const drift = effect && (driftOf(still, milestone, blockMs) ?? driftWithin(pairs, blocks, milestone));
  return effect && { effect, parts: yield* decompose(effect, network, milestone, blocks, drift ?? 0) };
}

/** What did it: of all results, or where a setting changed in a part of them, of this part against those before without it. */
function* attributedOf(
  pairs: readonly Pair[],
  measure: Measure & { own: Found | null },
  predict: Predicting,
): Generator<void, Pick<VariantComparison, 'attribution' | 'mixture'>> {
  const [before, after] = [pairs.flatMap((pair) => pair.before), pairs.flatMap((pair) => pair.after)];
  const attributionOf = (early: readonly Sample[], late: readonly Sample[], found: Found | null) =>
    attribute(flipsOf(early, late), measure.milestone, found && measuredTrips(found), predict(early, late));
  const mixture = mixtureOf(before, after);
  if (mixture) {
    const { valueIn, ...mixed } = mixture;
    const has = (value: string) => (sample: Sample) => valueIn(sample) === value;
    const between = function* (from: string, to: string) {
      const some = pairs.map((pair) => ({
        ...pair,
        before: pair.before.filter(has(from)),
        after: pair.after.filter(has(to)),
      }));
      const still = measure.still.map((each) => ({ ...each, samples: each.samples.filter(has(from)) }));
      return yield* foundOf(
        some.filter((pair) => pair.before.length > 0 && pair.after.length > 0),
        { ...measure, still },
      );
    };
    const effect = yield* between(mixed.before, mixed.after);
    const attribution = attributionOf(before.filter(has(mixed.before)), after.filter(has(mixed.after)), effect);
    // What flipped everywhere, and is the cause, is no matter of this part.
    if (attribution.cause === null || attribution.cause === mixed.setting) {
      const restOf = function* (value: string) {
        const rest = yield* between(value, value);
        return rest && { value, effect: presentedOf(rest) };
      };
      const rest = (yield* restOf(mixed.before)) ?? (yield* restOf(mixed.after));
      const presented = { effect: effect && presentedOf(effect), rest };
      return { attribution, mixture: { ...mixed, ...presented } };
    }
  }
  return { attribution: attributionOf(before, after, measure.own), mixture: null };
}

/** Round trips added; where they are not counted and RTTs are alike, the server's part in RTTs. */
function measuredTrips({ effect, parts: { roundTrips, slope, server } }: Found): ComparisonInterval | null {
  if (roundTrips || slope) return roundTrips;
  const rtt = quantileOf(ascending(effect.vantages.map(({ rttMs }) => rttMs)), 0.5);
  if (rtt < 1) return null;
  return wholeTrips({ value: server.value / rtt, low: server.low / rtt, high: server.high / rtt });
}

const directionOf = ({ low, high }: Interval): Direction => (high < 0 ? 'faster' : low > 0 ? 'slower' : 'unclear');

/** The direction of the server's part, where more of the regions show it than show the other one. */
function agreed({ server }: Decomposition, regions: readonly Direction[]): Direction {
  const direction = directionOf(server);
  const opposite = direction === 'faster' ? 'slower' : 'faster';
  const count = (each: Direction) => regions.filter((region) => region === each).length;
  return count(direction) > count(opposite) ? direction : 'unclear';
}

function presentedMilestones(found: Record<Milestone, Found | null>): ComparisonFigures['milestones'] {
  const entries = MILESTONES.map((name): [Milestone, MilestoneEffect | null] => {
    const own = found[name];
    return [name, own && presentedOf(own)];
  });
  return Object.fromEntries(entries) as ComparisonFigures['milestones'];
}

function presentedOf({ effect: { before, after, shift }, parts }: Found): MilestoneEffect {
  const { network, server, roundTrips, by, slope, workMs } = parts;
  const direction = directionOf(server);
  return { before, after, shift, network, server, roundTrips, roundTripsBy: by, slope, workMs, direction };
}

/** The other handshakes of the checks in the same windows: what of them there is too little of is left out. */
function* variantsOf(windows: Windows, { variants = [], milestone = 'total', blockMs = BLOCK_MS }: ComparisonOptions) {
  const compared: VariantComparison[] = [];
  const blocks = blocksOf(windows.before, windows.after, blockMs);
  for (const { variant, before: early, after: late } of variants) {
    const { pairs } = pairByVantage(early, late);
    if (pairs.length < LEAST_VANTAGES || countPairs(pairs) < LEAST_PAIRS) continue;
    const network = yield* effectOf(pairs, rttOf, blocks, RTT);
    if (!network) continue;
    const found = yield* milestonesOf(pairs, network, blocks, [], blockMs);
    const [before, after] = [pairs.flatMap((pair) => pair.before), pairs.flatMap((pair) => pair.after)];
    const own = found[milestone] ?? found.handshake;
    const refused = variant === 'resumed' ? refusedOf(before, after) : null;
    compared.push({
      variant,
      pairs: countPairs(pairs),
      refused,
      refusedChanged: refused !== null && isOtherShare(refused, before.length, after.length),
      milestones: presentedMilestones(found),
      ...(yield* attributedOf(pairs, { milestone, network, blocks, still: [], blockMs, own }, tableOf)),
      shares: settingShares(before, after),
    });
  }
  return compared;
}

function refusedOf(before: readonly Sample[], after: readonly Sample[]): NonNullable<VariantComparison['refused']> {
  const shareOf = (samples: readonly Sample[]) =>
    samples.filter(({ posture }) => posture.resumed === 'no').length / samples.length;
  return { before: shareOf(before), after: shareOf(after) };
}

/** The window before the change and those before it, until one in which something else flipped; the latest first. */
function* earlierWindows(
  pairs: readonly Pair[],
  window: Window,
  { earlier = [] }: ComparisonOptions,
): Generator<void, Earlier[]> {
  const ids = new Set(pairs.map(({ vantage }) => vantage.id));
  const still: Earlier[] = [{ window, samples: pairs.flatMap((pair) => pair.before) }];
  for (const older of earlier) {
    yield;
    const samples = older.samples.filter(({ vantage }) => ids.has(vantage.id));
    if (flipsOf(samples, (still.at(-1) as Earlier).samples).length > 0) break;
    if (countPairs(pairByVantage(samples, (still.at(-1) as Earlier).samples).pairs) < LEAST_PAIRS) break;
    still.push({ window: older.window, samples });
  }
  return still;
}

/**
 * What the server's part of a milestone shifts by from window to window while nothing changes, as half the width of an interval of 95%
 * (ms); null without two such shifts.
 */
function driftOf(still: readonly Earlier[], milestone: Milestone, blockMs: number): number | null {
  const shifts = still.slice(1).flatMap((older, i) => {
    const later = still[i] as Earlier;
    const { pairs } = pairByVantage(older.samples, later.samples);
    return plainShift(pairs, milestone, blocksOf(older.window, later.window, blockMs)) ?? [];
  });
  return shifts.length < 2 ? null : intervalOf(shifts);
}

/** Half the width of an interval of 95% of what shifts by so much while nothing changes, ms; 0 of nothing. */
const intervalOf = (shifts: readonly number[]) =>
  shifts.length === 0
    ? 0
    : Math.sqrt(meanOf(shifts.map((shift) => shift ** 2))) * studentQuantile(LEVEL, shifts.length);

/** The same from what each window shifts by from its first half to its second: a drift goes on from one window to the next. */
function driftWithin(pairs: readonly Pair[], { before, after, lengthMs }: Blocks, milestone: Milestone): number {
  const shifts = (['before', 'after'] as const).flatMap((side) => {
    const { from, to } = side === 'before' ? before : after;
    const middle = (from + to) / 2;
    const samples = pairs.flatMap((pair) => pair[side]);
    const [early, late] = [samples.filter(({ at }) => at < middle), samples.filter(({ at }) => at >= middle)];
    const halves = blocksOf({ from, to: middle }, { from: middle, to }, lengthMs);
    return plainShift(pairByVantage(early, late).pairs, milestone, halves) ?? [];
  });
  return intervalOf(shifts);
}

/** What the server's part shifted by, without an interval; null of nothing. */
function plainShift(pairs: readonly Pair[], milestone: Milestone, blocks: Blocks): number | null {
  const shifts = shiftsOf(pairs, ({ milestones }) => milestones[milestone], blocks);
  const shift = serverShift(shifts, shiftsOf(pairs, rttOf, blocks, meanShift), milestone, blocks);
  return Number.isNaN(shift) ? null : shift;
}

/** A against A: what the milestone shifted by before anything was changed. */
function* earlierShift(still: readonly Earlier[], blockMs: number, read: Reading): Generator<void, Interval | null> {
  const [now, older] = still;
  if (!now || !older) return null;
  const { pairs } = pairByVantage(older.samples, now.samples);
  const blocks = blocksOf(older.window, now.window, blockMs);
  return (yield* effectOf(pairs, read, blocks, { ...LEAST, beside: true }))?.shift ?? null;
}

function* othersOf(
  pairs: readonly Pair[],
  blocks: Blocks,
  { otherTargets = [] }: ComparisonOptions,
  read: Reading,
): Generator<void, ComparisonFigures['controls']['others']> {
  const vantages = new Set(pairs.map(({ vantage }) => vantage.id));
  const here = (samples: readonly Sample[]) => samples.filter(({ vantage }) => vantages.has(vantage.id));
  const others: ComparisonFigures['controls']['others'] = [];
  for (const { id, name, before, after } of otherTargets) {
    const { pairs: theirs } = pairByVantage(here(before), here(after));
    const shift = (yield* effectOf(theirs, read, blocks, { ...LEAST, beside: true }))?.shift;
    const network = (yield* effectOf(theirs, rttOf, blocks, { ...RTT, beside: true }))?.shift;
    if (shift && network) others.push({ id, name, shift, network });
  }
  return others;
}

function* phasesOf(pairs: readonly Pair[], blocks: Blocks): Generator<void, ComparisonFigures['phases']> {
  const found: ComparisonFigures['phases'] = [];
  for (const phase of COMPARED_PHASES) {
    const effect = yield* effectOf(pairs, ({ phases }) => phases[phase], blocks, { ...LEAST, beside: true });
    if (effect) found.push({ phase, before: effect.before, after: effect.after, shift: effect.shift });
  }
  return found;
}

type VantageShift = Effect['vantages'][number];

/** The effect by vantage, by region and carrier, and by region; which of a list are sure is decided over all of it (Holm). */
function* groupsOf(
  effect: Effect,
  parts: Decomposition,
  network: Effect,
): Generator<void, Pick<ComparisonFigures, 'vantages' | 'cells' | 'regions' | 'directions'>> {
  const networkOf = new Map(network.vantages.map((vantage) => [vantage.pair.vantage.id, vantage]));
  const all = effect.vantages.map((vantage, i) => ({ vantage, server: parts.vantages[i] as VantageShift }));
  const [drift, serverDrift] = [halfWidth(effect.shift), halfWidth(parts.server)];
  const list = <Key extends object>(keyOf: (vantage: VantageShift) => Key) => {
    const groups = Map.groupBy(all, ({ vantage }) => JSON.stringify(keyOf(vantage)));
    const tested = [...groups.values()].map((both) => {
      const own = both.map(({ vantage }) => vantage);
      const { shift: server, p } = shiftOf(knownBest(both.map((each) => each.server)), serverDrift);
      const count = (side: 'before' | 'after') => own.reduce((sum, { pair }) => sum + pair[side].length, 0);
      const n = { before: count('before'), after: count('after') };
      return { own, n, shift: shiftOf(own, drift).shift, server, p };
    });
    const sure = holm(
      tested.map(({ n, p }) => (Math.min(n.before, n.after) < LEAST_RESULTS ? 1 : p)),
      LEVEL,
    );
    return tested.map(({ own, n, shift, server }, i) => ({
      ...keyOf(own[0] as VantageShift),
      vantages: own.length,
      n,
      shift,
      networkMs: shiftOf(
        own.flatMap(({ pair }) => networkOf.get(pair.vantage.id) ?? []),
        0,
      ).shift.value,
      server,
      direction: (sure[i] ? (server.value < 0 ? 'faster' : 'slower') : 'unclear') as Direction,
    }));
  };
  const vantages = list(({ pair, rttMs }) => ({ ...pair.vantage, rttMs }));
  yield;
  const cells = list(({ pair: { vantage } }) => ({ region: vantage.region, carrier: vantage.carrier }));
  yield;
  const regions = list(({ pair: { vantage } }) => ({ region: vantage.region }));
  const directionOfRegion = new Map(regions.map(({ region, direction }) => [region, direction]));
  const byDirection = Map.groupBy(all, ({ vantage }) => directionOfRegion.get(vantage.pair.vantage.region));
  const directions = (['faster', 'slower', 'unclear'] as const).flatMap((direction) => {
    const both = byDirection.get(direction);
    if (!both) return [];
    const shift = shiftOf(
      both.map(({ vantage }) => vantage),
      drift,
    ).shift;
    return { direction, shift, server: shiftOf(knownBest(both.map(({ server }) => server)), serverDrift).shift };
  });
  return { vantages, cells, regions, directions };
}

/** The vantages of a group that say most of the server's part: those whose own network moved say little. */
function knownBest(vantages: readonly VantageShift[]): VantageShift[] {
  const least = Math.min(...vantages.map(({ error }) => error));
  return vantages.filter(({ error }) => error <= LARGEST_ERROR * least);
}

const QUANTILES = [0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99];

function distributionOf(
  before: readonly Sample[],
  after: readonly Sample[],
  read: Reading,
): ComparisonFigures['distribution'] {
  const early = ascending(before.flatMap((sample) => read(sample) ?? []));
  const late = ascending(after.flatMap((sample) => read(sample) ?? []));
  return QUANTILES.map((quantile) => ({
    quantile,
    before: quantileOf(early, quantile),
    after: quantileOf(late, quantile),
  }));
}

/** Thousandths are finer than any clock here. */
const rounded = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value, (_, part) => (typeof part === 'number' ? Math.round(part * 1_000) / 1_000 : part)));
