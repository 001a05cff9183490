import type { Table } from '../history/half-hours.ts';
import {
  autocorrelationCap,
  firstHourShare,
  halfHourCapacity,
  lastHourShare,
  levelSlots,
  persistentShare,
  quartileOpposite,
  referenceSlots,
  shiftRelief,
  shiftWindows,
  shortWindowShare,
  sigmaFloor,
  sigmaLimit,
  slotsPerDay,
  variancePerMeanDeviation,
  wanderPrior,
  wanderPriorWeight,
} from '../parameters.ts';
import { known, type Levels, residualsOf, shapeSpread } from '../series/levels.ts';
import { autocorrelation, hodgesLehmann, madSigma, meanOf, medianOf } from '../statistics.ts';
import { couldBeDailyPeak } from './daily-peak.ts';

/** A lasting change of level that the last half hours show. */
export type Shift = {
  /** Half hours that show it. */
  window: number;
  /** Natural logarithm of after / before, by Hodges and Lehmann. */
  effect: number;
  /** The effect in standard errors. */
  z: number;
  /** Median level before, logarithm of ms less the daily shape. */
  before: number;
};

type Rule = { window: number; z: number; effect: number };

export type Relief = 0 | 1 | 2;

/** The surest shift that ends at the present, or null. `relief` lowers what is asked, where neighbours agree. */
export function findShift(levels: Levels, relief: Relief = 0): Shift | null {
  const longest = Math.max(...shiftWindows.map(({ window }) => window));
  const from = levels.now + 1 - longest - referenceSlots;
  const all = residualsOf(levels, levels.table, from, levels.now + 1, 'all');
  if (Number.isNaN(all[all.length - 1])) return null;
  const calm = residualsOf(levels, levels.table, from, levels.now + 1, 'calm');
  for (const rule of shiftWindows) {
    const shift = testWindow(levels, all, calm, rule, relief);
    if (shift) return shift;
  }
  return null;
}

/** `all` and `calm` end at the present; what came before a window is looked at without its spikes. */
function testWindow(levels: Levels, all: Float64Array, calm: Float64Array, rule: Rule, relief: Relief): Shift | null {
  const start = all.length - rule.window;
  const after = known(all.subarray(start));
  if (after.length < rule.window / 2) return null;
  let before = known(calm.subarray(start - referenceSlots, start));
  if (before.length < levelSlots) before = known(all.subarray(start - referenceSlots, start));
  if (before.length < levelSlots) return null;
  const asked = shiftRelief[relief];
  const least = rule.effect * asked.effect;
  const rough = meanOf(after) - meanOf(before);
  const level = medianOf(before);
  if (!persists(all.subarray(start), calm.subarray(start), level, rough / asked.shares)) return null;
  const effect = hodgesLehmann(after, before);
  if (Math.abs(effect) < least) return null;
  const quartiles = levels.quartiles ? movedQuartiles(levels, rule.window) : null;
  // Means are clipped: a large change of a short time shows in full in the median alone.
  const full = Math.max(Math.abs(Math.expm1(effect)), Math.abs(Math.expm1(quartiles?.middle ?? 0)));
  if (full * Math.exp(level) < levels.leastMs || (quartiles && !isOfLocation(quartiles, effect))) return null;
  const from = levels.now + 1 - rule.window;
  const floor = Math.max(wanderOf(levels, rule.window), shapeSpread(levels, from, levels.now + 1) / 2);
  const z = effect / Math.hypot(standardError(after, before, level), floor);
  if (Math.abs(z) < rule.z * asked.z || couldBeDailyPeak(levels, all.subarray(start), level, effect)) return null;
  return { window: rule.window, effect, z, before: level };
}

/**
 * Of the difference of two means of an autocorrelated series. Each side has its own deviation (Welch), the new one not
 * less than the old: an incident that goes up and down for hours is not a level.
 */
function standardError(after: number[], before: number[], level: number): number {
  const sigma = Math.max(madSigma(before, level), sigmaFloor);
  const most = sigmaLimit * sigma;
  const off = before.map((value) => Math.max(-most, Math.min(most, value - level)));
  const rho = autocorrelation(off, autocorrelationCap);
  const late = Math.max(sigma, madSigma(after, medianOf(after)));
  return Math.sqrt(((1 + rho) / (1 - rho)) * (late ** 2 / after.length + sigma ** 2 / before.length));
}

/** Every third of the window shows the change, neither end lacks it, and it is not all made of spikes that ended. */
function persists(window: Float64Array, calm: Float64Array, level: number, effect: number): boolean {
  const { length } = window;
  const third = Math.round(length / 3);
  const share = (from: number, to: number) => (meanOf(known(window.subarray(from, to))) - level) / effect;
  if ((meanOf(known(calm)) - level) / effect < persistentShare) return false;
  for (let from = 0; length < slotsPerDay / 2 && from + 3 <= length; from++)
    if (share(from, from + 3) < shortWindowShare) return false;
  // A share of nothing is NaN and fails no test: gaps are not evidence.
  const thirds = [share(0, third), share(third, length - third), share(length - third, length)];
  if (thirds.some((each) => each < persistentShare)) return false;
  return !(share(0, 2) < firstHourShare || share(length - 2, length) < lastHourShare);
}

/** By how much the quartiles of TLS time moved, logarithms. */
type Quartiles = { low: number; middle: number; high: number };

function movedQuartiles(levels: Levels, window: number): Quartiles {
  const start = levels.now + 1 - window;
  const moved = (table: Table) => {
    const after = known(residualsOf(levels, table, start, levels.now + 1, 'all'));
    const before = known(residualsOf(levels, table, start - referenceSlots, start, 'calm'));
    return meanOf(after) - medianOf(before);
  };
  return { low: moved('low'), middle: moved('middle'), high: moved('high') };
}

/**
 * Whether the whole distribution moved, or samples moved from one mode to another: not so where both quartiles drew apart
 * or together about a median that stayed, or moved by less than half of theirs (a change of variance), nor where no quartile moved by half of it (a tail).
 */
function isOfLocation(quartiles: Quartiles, effect: number): boolean {
  const sign = Math.sign(effect);
  const [low, middle, high] = [sign * quartiles.low, sign * quartiles.middle, sign * quartiles.high];
  const size = Math.abs(effect);
  if (Math.max(low, middle, high) < size / 2) return false;
  const opposite = Math.min(low, high) < -quartileOpposite * size;
  return !(opposite && middle < Math.max(Math.abs(low), Math.abs(high)) / 2);
}

/**
 * The series' wander: the standard deviation of means of `window` half hours about the mean of what preceded them when
 * nothing happens, by the mean distance of past windows, without the present one. A window and what preceded it lie between the same
 * two lasting changes; what a series was like before the last one counts too. It includes what a standard error leaves out: drift,
 * congestion that lasts for hours, days that differ.
 */
export function wanderOf(levels: Levels, window: number): number {
  const oldest = levels.now + 1 - halfHourCapacity;
  const newest = levels.now + 1 - window;
  let distances = 0;
  let seen = 0;
  for (let at = levels.changes.length; at > 0; at--) {
    const since = Math.max(levels.changes[at - 1] as number, oldest);
    // The half hour in which a level ended holds the next one too.
    const until = Math.min(newest, (levels.changes[at] ?? newest + 1) - 1);
    if (until - since < window + levelSlots) continue;
    const mean = runningMeans(residualsOf({ ...levels, since }, levels.table, since, until, 'calm'));
    for (let to = window + levelSlots; to <= until - since; to++) {
      const off = mean(to - window, to) - mean(Math.max(0, to - window - referenceSlots), to - window);
      if (Number.isNaN(off)) continue;
      distances += Math.abs(off);
      seen += 1;
    }
  }
  const independent = seen / window;
  const own = seen > 0 ? variancePerMeanDeviation * (distances / seen) ** 2 * independent : 0;
  const variance = (own + wanderPriorWeight * wanderPrior ** 2) / (independent + wanderPriorWeight);
  // What few windows have shown may well be exceeded: as Student's distribution is wider than the normal one.
  return Math.sqrt(variance) * (1 + 1 / (independent + wanderPriorWeight));
}

/** The mean of what is known in [from, to); NaN where that is less than half. */
function runningMeans(values: Float64Array): (from: number, to: number) => number {
  const sums = new Float64Array(values.length + 1);
  const counts = new Float64Array(values.length + 1);
  values.forEach((value, index) => {
    const known = !Number.isNaN(value);
    sums[index + 1] = (sums[index] as number) + (known ? value : 0);
    counts[index + 1] = (counts[index] as number) + (known ? 1 : 0);
  });
  return (from, to) => {
    const n = (counts[to] as number) - (counts[from] as number);
    return n < (to - from) / 2 ? Number.NaN : ((sums[to] as number) - (sums[from] as number)) / n;
  };
}
