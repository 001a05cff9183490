// The life of a comparison: two windows of one target's results (samples of sample.ts) are paired by vantage (pairs.ts); where
// they can't be compared, the answer is why (refusal.ts). Else each milestone's shift is estimated with its interval (effect.ts), over all
// vantages and by region and carrier (groups.ts), and decomposed (decomposition.ts): the network's part, round trips that came or went, and the
// server's own work. The direction is that of the server's part; whose network moved is said beside it (network.ts). Controls say what
// moved besides: other targets, and the same target before that (drift.ts). What flipped in the posture (posture.ts) is held against what was
// measured (attribution.ts), of the main handshake and of the other variants. Pure: the same samples give the same answer.

import { ascending, quantileOf } from '#analysis/detection/statistics.ts';
import {
  COMPARED_PHASES,
  type ComparisonFigures,
  type ComparisonInterval,
  type ComparisonOutcome,
  type Direction,
  MILESTONES,
  type Milestone,
  type MilestoneEffect,
  type VariantComparison,
} from '#contract/comparison.ts';
import type { MeasuredVariant } from '#contract/vocabulary.ts';
import { attribute, type Predicting, tableOf } from './attribution.ts';
import { type Decomposition, decompose, wholeTrips } from './decomposition.ts';
import { driftOf, driftWithin, type Earlier, earlierShift, earlierWindows } from './drift.ts';
import {
  type Blocks,
  blocksOf,
  type Effect,
  effectOf,
  LEAST,
  LEAST_PAIRS,
  LEAST_VANTAGES,
  type Reading,
  RTT,
  rttOf,
} from './effect.ts';
import { groupsOf } from './groups.ts';
import { mixtureOf } from './mixture.ts';
import { networkMoves } from './network.ts';
import { countPairs, type Pair, type Pairing, pairByVantage } from './pairs.ts';
import { flipsOf, settingShares } from './posture.ts';
import { type OtherChange, refusalOf, tooFew, type Windows } from './refusal.ts';
import type { Sample } from './sample.ts';
import { type Interval, isOtherShare } from './statistics.ts';

type OtherVariant = { variant: MeasuredVariant; before: readonly Sample[]; after: readonly Sample[] };
type OtherTarget = { id: string; name: string; before: readonly Sample[]; after: readonly Sample[] };

export type ComparisonOptions = {
  windows: Windows;
  /** The moment that vantages and cells are about. */
  milestone: Milestone;
  /** The same target in windows before `before`, of its length, the latest first: A against A. */
  earlier: readonly Earlier[];
  otherTargets: readonly OtherTarget[];
  /** The other handshakes of the same checks. */
  variants: readonly OtherVariant[];
  otherChanges: readonly OtherChange[];
  /** What a flip should change between such samples. */
  predict: Predicting;
};

/**
 * Compares results of a target after a change with those before. A negative shift is a gain. In steps of some ms (each `yield`), for a
 * process that has other things to do: a hundred vantages take seconds.
 */
export function* comparing(
  before: readonly Sample[],
  after: readonly Sample[],
  options: ComparisonOptions,
): Generator<void, ComparisonOutcome> {
  const pairing = pairByVantage(before, after);
  const refusal = yield* refusalOf(before, after, options.windows, pairing, options.otherChanges);
  if (refusal) return { refusal, figures: null };
  const figures = yield* figuresOf(pairing, options);
  if (figures) return { refusal: null, figures: rounded(figures) };
  const reached = ({ milestones }: Sample) => milestones[options.milestone] !== null;
  return { refusal: tooFew(pairByVantage(before.filter(reached), after.filter(reached))), figures: null };
}

function* figuresOf(
  { pairs, onlyBefore, onlyAfter }: Pairing,
  options: ComparisonOptions,
): Generator<void, ComparisonFigures | null> {
  const { milestone, windows } = options;
  const blocks = blocksOf(windows.before, windows.after);
  const read: Reading = (sample) => sample.milestones[milestone];
  const still = yield* earlierWindows(pairs, windows.before, options.earlier);
  const network = yield* effectOf(pairs, rttOf, blocks, RTT);
  if (!network) return null;
  const found = yield* milestonesOf(pairs, network, blocks, still);
  const own = found[milestone];
  if (!own) return null;
  const { effect, parts } = own;
  const [before, after] = [pairs.flatMap((pair) => pair.before), pairs.flatMap((pair) => pair.after)];
  const phases = yield* phasesOf(pairs, blocks);
  const controls = {
    earlier: yield* earlierShift(still, read),
    others: yield* othersOf(pairs, blocks, options, read),
  };
  yield;
  const groups = yield* groupsOf(effect, parts, network);
  yield;
  const measured = { milestone, network, blocks, still, own };
  const attributed = yield* attributedOf(pairs, measured, options.predict);
  const variants = yield* variantsOf(options);
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

/** A milestone's shift, and what it is made of. */
type Found = { effect: Effect; parts: Decomposition };

function* milestonesOf(
  pairs: readonly Pair[],
  network: Effect,
  blocks: Blocks,
  still: readonly Earlier[],
): Generator<void, Record<Milestone, Found | null>> {
  const found = {} as Record<Milestone, Found | null>;
  for (const name of MILESTONES) {
    yield;
    found[name] = yield* foundOf(pairs, { milestone: name, network, blocks, still });
  }
  return found;
}

/** What a milestone is measured with: the network of all vantages, blocks, and the windows before. */
type Measure = { milestone: Milestone; network: Effect; blocks: Blocks; still: readonly Earlier[] };

function* foundOf(
  pairs: readonly Pair[],
  { milestone, network, blocks, still }: Measure,
): Generator<void, Found | null> {
  const effect = yield* effectOf(pairs, ({ milestones }) => milestones[milestone], blocks, LEAST);
  const drift = effect && (driftOf(still, milestone) ?? driftWithin(pairs, blocks, milestone));
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
function* variantsOf({ windows, variants, milestone }: ComparisonOptions) {
  const compared: VariantComparison[] = [];
  const blocks = blocksOf(windows.before, windows.after);
  for (const { variant, before: early, after: late } of variants) {
    const { pairs } = pairByVantage(early, late);
    if (pairs.length < LEAST_VANTAGES || countPairs(pairs) < LEAST_PAIRS) continue;
    const network = yield* effectOf(pairs, rttOf, blocks, RTT);
    if (!network) continue;
    const found = yield* milestonesOf(pairs, network, blocks, []);
    const [before, after] = [pairs.flatMap((pair) => pair.before), pairs.flatMap((pair) => pair.after)];
    const own = found[milestone] ?? found.handshake;
    const refused = variant === 'resumed' ? refusedOf(before, after) : null;
    compared.push({
      variant,
      pairs: countPairs(pairs),
      refused,
      refusedChanged: refused !== null && isOtherShare(refused, before.length, after.length),
      milestones: presentedMilestones(found),
      ...(yield* attributedOf(pairs, { milestone, network, blocks, still: [], own }, tableOf)),
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

function* othersOf(
  pairs: readonly Pair[],
  blocks: Blocks,
  { otherTargets }: ComparisonOptions,
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
