// The life of a comparison: two windows of one target's results (samples of sample.ts) are paired by vantage (pairs.ts); where
// they can't be compared, the answer is why. Else each milestone's shift is estimated with its interval (effect.ts), over all
// vantages and by region and carrier, and set against RTT: the slope is the round trips that came or went, the intercept the
// server's own work. Controls say what moved besides: the network, other targets, and the same target before that. And what
// flipped in the posture (posture.ts) is held against what was measured (attribution.ts). Pure: the same samples give the same
// answer.

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
} from '#contract/comparison.ts';
import { attribute, type Predict, tableOf } from './attribution.ts';
import {
  type Blocks,
  blocksOf,
  type Effect,
  effectOf,
  halfWidth,
  LEVEL,
  plainShift,
  type Reading,
  shiftOf,
} from './effect.ts';
import { countPairs, longestGap, type Pair, type Pairing, pairByVantage, type Window } from './pairs.ts';
import { flipsOf, settingShares } from './posture.ts';
import type { Sample } from './sample.ts';
import { holm, type Interval, studentQuantile } from './statistics.ts';

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

/** A change that somebody noted inside the windows, besides the one that the comparison is about. */
type OtherChange = { at: number; title: string };
type Earlier = { window: Window; samples: readonly Sample[] };
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
  otherChanges?: readonly OtherChange[];
  /** What a flip should change; left out: by the table of round trips. */
  predict?: Predict;
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
  return { refusal: tooFew(pairing), figures: null };
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
  const effects = {} as Record<Milestone, Effect | null>;
  for (const name of MILESTONES) {
    const leastHalfWidth = driftOf(still, name);
    yield;
    effects[name] = yield* effectOf(pairs, (sample) => sample.milestones[name], blocks, { ...LEAST, leastHalfWidth });
  }
  const effect = effects[milestone];
  const network = yield* effectOf(pairs, ({ rttMs }) => rttMs, blocks, { ...LEAST, beside: true });
  if (!effect || !network) return null;
  const [before, after] = [pairs.flatMap((pair) => pair.before), pairs.flatMap((pair) => pair.after)];
  const common = halfWidth(effect.shift);
  const phases = yield* phasesOf(pairs, blocks);
  const controls = {
    earlier: yield* earlierShift(still, blockMs, read),
    others: yield* othersOf(pairs, blocks, options, read),
  };
  yield;
  const groups = yield* groupsOf(effect, network, common);
  yield;
  const predict = options.predict ?? tableOf(before, after);
  const attribution = attribute(flipsOf(before, after), milestone, measuredTrips(effect), predict);
  yield;
  const milestones = MILESTONES.map((name) => [name, effects[name] && presented(effects[name])]);
  return {
    milestone,
    pairs: countPairs(pairs),
    blockMs: blocks.lengthMs,
    milestones: Object.fromEntries(milestones) as ComparisonFigures['milestones'],
    network: network.shift,
    phases,
    ...groups,
    onlyBefore,
    onlyAfter,
    controls,
    attribution,
    shares: settingShares(before, after),
    distribution: distributionOf(before, after, read),
  };
}

const LEAST = { leastVantages: LEAST_VANTAGES };

/** Round trips by the slope; where the RTTs are alike, the shift in RTTs. */
function measuredTrips({ roundTrips, shift, vantages }: Effect): ComparisonInterval | null {
  if (roundTrips) return roundTrips;
  const rtt = quantileOf(ascending(vantages.map(({ rttMs }) => rttMs)), 0.5);
  if (rtt < 1) return null;
  return { value: shift.value / rtt, low: shift.low / rtt, high: shift.high / rtt };
}

const directionOf = ({ low, high }: Interval): Direction => (high < 0 ? 'faster' : low > 0 ? 'slower' : 'unclear');

const presented = ({ before, after, shift, roundTrips, workMs }: Effect): MilestoneEffect => ({
  before,
  after,
  shift,
  roundTrips,
  workMs,
  direction: directionOf(shift),
});

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

/** What a milestone shifts by from window to window while nothing changes, as half the width of an interval of 95% (ms). */
function driftOf(still: readonly Earlier[], milestone: Milestone): number {
  const shifts = still.slice(1).map((older, i) => {
    const { pairs } = pairByVantage(older.samples, (still[i] as Earlier).samples);
    return plainShift(pairs, (sample) => sample.milestones[milestone]);
  });
  const known = shifts.filter((shift) => !Number.isNaN(shift));
  if (known.length === 0) return 0;
  return (
    Math.sqrt(meanOf(known.map((shift) => shift ** 2))) * (known.length < 2 ? 1 : studentQuantile(LEVEL, known.length))
  );
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
    const network = (yield* effectOf(theirs, ({ rttMs }) => rttMs, blocks, { ...LEAST, beside: true }))?.shift;
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
  network: Effect,
  common: number,
): Generator<void, Pick<ComparisonFigures, 'vantages' | 'cells' | 'regions'>> {
  const networkOf = new Map(network.vantages.map((vantage) => [vantage.pair.vantage.id, vantage]));
  const list = <Key extends object>(keyOf: (vantage: VantageShift) => Key) => {
    const groups = Map.groupBy(effect.vantages, (vantage) => JSON.stringify(keyOf(vantage)));
    const tested = [...groups.values()].map((own) => ({ own, ...shiftOf(own, common) }));
    const sure = holm(
      tested.map(({ p }) => p),
      LEVEL,
    );
    return tested.map(({ own, shift }, i) => ({
      ...keyOf(own[0] as VantageShift),
      vantages: own.length,
      n: {
        before: own.reduce((sum, { pair }) => sum + pair.before.length, 0),
        after: own.reduce((sum, { pair }) => sum + pair.after.length, 0),
      },
      shift,
      networkMs: shiftOf(
        own.flatMap(({ pair }) => networkOf.get(pair.vantage.id) ?? []),
        0,
      ).shift.value,
      direction: (sure[i] ? (shift.value < 0 ? 'faster' : 'slower') : 'unclear') as Direction,
    }));
  };
  const vantages = list(({ pair, rttMs }) => ({ ...pair.vantage, rttMs }));
  yield;
  const cells = list(({ pair: { vantage } }) => ({ region: vantage.region, carrier: vantage.carrier }));
  yield;
  const regions = list(({ pair: { vantage } }) => ({ region: vantage.region }));
  return { vantages, cells, regions };
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
