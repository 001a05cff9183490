// The monitor of one metric of one series. The life of a value: `observe` remembers it, compares it with the baseline and
// gives its log-likelihood ratio to the cumulative sum (`cusum.ts`); for TLS time `path-witness.ts` says whether TCP connect
// is high as well. Values without suspicion are learnt at once, suspected ones when the suspicion has come to nothing,
// those of an incident never. Every half hour `refresh` recomputes the baseline, every 6 hours `reshape` takes a new daily
// shape; `restart` begins again after a lasting change; `endIfLong` ends an incident that does not end by itself.
// `failures.ts` does the same, by the same sum, for failed probes.

import {
  type Baseline,
  baselineOf,
  count,
  type Distribution,
  emptyDistribution,
  exceeds,
  fallsShort,
  isHigh,
  shareBetween,
} from '../baseline/baseline.ts';
import { type DailyShape, flatShape, valueAt } from '../baseline/daily-shape.ts';
import type { EndedBy } from '../detection.ts';
import { placeInDay } from '../history/half-hours.ts';
import {
  append,
  emptyHistory,
  forgetOldest,
  type History,
  logAt,
  mustForget,
  placeOf,
  rounded,
} from '../history/history.ts';
import {
  baselineLeastSamples,
  densityHalfWidth,
  incidentGapSeconds,
  longestIncidentSeconds,
  recentreAt,
  runGapSeconds,
} from '../parameters.ts';
import {
  idleWatch,
  ratioOf,
  ratioOfBoth,
  type Side,
  type SpikeWatch,
  type Step,
  step,
  stopRun,
  stopWatch,
} from './cusum.ts';

/** One metric of one line, with all that its spikes are told by. */
export type Watched = {
  history: History;
  distribution: Distribution | null;
  shape: DailyShape;
  baseline: Baseline | null;
  spike: SpikeWatch;
  /** Local time less UTC, seconds. */
  offset: number;
  /** The time of the last sample, and whether it exceeded. */
  last: number;
  lastExceeded: boolean;
  /** Whether the path confirmed the last sample. */
  witnessed: boolean;
};

export function newWatched(offset: number): Watched {
  return {
    history: emptyHistory(),
    distribution: null,
    shape: flatShape(),
    baseline: null,
    spike: idleWatch(),
    offset,
    last: 0,
    lastExceeded: false,
    witnessed: false,
  };
}

/**
 * Takes one value (ms, more than 0) into account. `witness` is null, or how often another measure that is high now is so
 * together with this one: then a value counts that is high, if not beyond the line's noise.
 */
export function observe(watched: Watched, timestamp: number, value: number, witness: number | null = null): Step {
  const { history, spike, baseline } = watched;
  const silence = timestamp - watched.last;
  if (silence > runGapSeconds && !spike.open && spike.runStart > 0) endRun(watched);
  endIfLong(watched, timestamp);
  while (mustForget(history, timestamp)) forget(watched);
  const log = rounded(Math.log(value));
  const place = placeInDay(timestamp, watched.offset);
  const shape = valueAt(watched.shape.value, place);
  append(history, timestamp, log, false);
  watched.last = timestamp;
  watched.lastExceeded = false;
  watched.witnessed = false;
  if (baseline === null || baseline.count < baselineLeastSamples) {
    learn(watched, timestamp);
    return 'nothing';
  }
  const spread = valueAt(watched.shape.spread, place);
  watched.witnessed = witness !== null && isHigh(baseline, value, log, shape, spread);
  watched.lastExceeded = watched.witnessed || exceeds(baseline, value, log, shape, spread);
  const below = fallsShort(baseline, log - shape, spread);
  const side = watched.lastExceeded ? 'above' : below ? 'below' : 'usual';
  return judge(watched, timestamp, log - shape, side, baseline, watched.witnessed ? witness : null);
}

function judge(
  watched: Watched,
  timestamp: number,
  flat: number,
  side: Side,
  baseline: Baseline,
  witness: number | null,
): Step {
  const { spike, distribution } = watched;
  const near =
    side !== 'usual' && distribution ? shareBetween(distribution, flat - densityHalfWidth, flat + densityHalfWidth) : 0;
  const began = spike.runStart;
  const own = ratioOf(baseline, side, near);
  const ratio = witness === null ? own : Math.max(own, ratioOfBoth(witness));
  const result = step(spike, timestamp, side === 'above', ratio);
  // While evidence grows, samples wait; without a case they are what is usual on this line.
  if (spike.evidence === 0 && !spike.open && result === 'nothing') learn(watched, began === 0 ? timestamp : began);
  return result;
}

/** Computes the baseline anew: every half hour, and after a restart. */
export function refresh(watched: Watched): void {
  const { distribution } = watched;
  if (distribution === null) return;
  watched.baseline = baselineOf(distribution);
  const median = watched.baseline?.median ?? distribution.centre;
  if (Math.abs(median - distribution.centre) > recentreAt) rebuild(watched, median);
}

/** A new shape: what is remembered is seen in its light. */
export function reshape(watched: Watched, shape: DailyShape, offset: number): void {
  if (shape === watched.shape && offset === watched.offset) return;
  watched.shape = shape;
  watched.offset = offset;
  rebuild(watched, watched.baseline?.median ?? 0);
  refresh(watched);
}

/** Starts the baseline again after a lasting change: what was before it no longer counts, what came after does. */
export function restart(watched: Watched, change: number): void {
  const { history } = watched;
  stopWatch(watched.spike, change, 'shift');
  for (let index = 0; index < history.count; index++) {
    const place = placeOf(history, index);
    history.learned[place] = (history.times[place] as number) >= change ? 1 : 0;
  }
  rebuild(watched, watched.baseline?.median ?? 0);
  refresh(watched);
}

function rebuild(watched: Watched, centre: number): void {
  const { history } = watched;
  watched.distribution = emptyDistribution(centre);
  for (let index = 0; index < history.count; index++) {
    const place = placeOf(history, index);
    if (history.learned[place] === 1) enter(watched, place, 1);
  }
}

/** Ends a run that came to nothing. */
function endRun(watched: Watched): void {
  learn(watched, watched.spike.runStart);
  stopRun(watched.spike);
}

/** Ends an incident that does not end, or of which nothing has been heard for long: its samples are the line's own. */
export function endIfLong(watched: Watched, now: number): void {
  const { spike, last } = watched;
  if (!spike.open) return;
  if (now - last > incidentGapSeconds) abandon(watched, last, 'silence');
  else if (now - spike.runStart > longestIncidentSeconds) abandon(watched, now, 'length');
}

function abandon(watched: Watched, endedAt: number, by: EndedBy): void {
  learn(watched, watched.spike.runStart);
  stopWatch(watched.spike, endedAt, by);
  refresh(watched);
}

/** Makes the samples since `from` part of the baseline. */
function learn(watched: Watched, from: number): void {
  const { history } = watched;
  for (let index = history.count - 1; index >= 0; index--) {
    const place = placeOf(history, index);
    if ((history.times[place] as number) < from) return;
    if (history.learned[place] === 1) continue;
    history.learned[place] = 1;
    enter(watched, place, 1);
  }
}

function forget(watched: Watched): void {
  const { history } = watched;
  if (history.learned[history.head] === 1) enter(watched, history.head, -1);
  forgetOldest(history);
}

function enter(watched: Watched, place: number, by: 1 | -1): void {
  const { history } = watched;
  const flat = logAt(history, place) - shapeAt(watched, history.times[place] as number);
  watched.distribution ??= emptyDistribution(flat);
  count(watched.distribution, flat, by);
}

/** The daily shape at a time, logarithm. */
export function shapeAt(watched: Watched, timestamp: number): number {
  return valueAt(watched.shape.value, placeInDay(timestamp, watched.offset));
}
