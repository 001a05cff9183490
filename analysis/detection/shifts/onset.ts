import { type History, logAt, placeOf } from '../history/history.ts';
import { shapeAt, type Watched } from '../monitor/monitor.ts';

/** Logarithms count as at most this far from the middle of both levels, in units of the distance of either from it. */
const CLIP = 2.5;
const LEAST_CLIP = 0.1;

/** What is to be dated: half hours from `start` on lie `effect` from the level `before`; it began between `from` and now. */
export type Undated = { since: number; from: number; start: number; before: number; effect: number };

/** A window may lack its change's first hours by this; seconds. */
const LEAD = 4 * 3_600;
/** Samples on both sides by which the middle between both levels is measured. */
const LEAST_SAMPLES = 20;
const LEAST_APART = 0.25;

/**
 * The time of a change between two levels: where the sum of single samples' distances from the middle of both turns round
 * (Hinkley 1970), the likeliest split. Levels are logarithms less the daily shape, instants epoch seconds: halfway between
 * the last sample before the change and the first one after. Null where the samples since `from` show no change: it
 * is older, or was slow.
 */
export function onsetOf(watched: Watched, change: Undated): number | null {
  const { history } = watched;
  const towards = distancesOf(watched, change);
  const middle = middleOf(history, towards, change);
  let sum = 0;
  let least = 0;
  let last = change.from;
  let found: number | null = null;
  for (let index = 0; index < history.count; index++) {
    const time = history.times[placeOf(history, index)] as number;
    if (time < change.from) continue;
    if (sum < least) {
      least = sum;
      found = Math.round((last + time) / 2);
    }
    sum += (towards[index] as number) - middle;
    last = time;
  }
  return found;
}

/**
 * What divides both levels lies nearer to the old one, so that a change whose first hours fall into the evening's peak, or
 * out of it, is not dated by the hours after that.
 */
const NEAR_BEFORE = 0.4;

/** How far each sample is from the middle of both levels, towards the new one, clipped. */
function distancesOf(watched: Watched, { before, effect }: Undated): Float64Array {
  const { history } = watched;
  const centre = before + NEAR_BEFORE * effect;
  const most = Math.max(LEAST_CLIP, CLIP * Math.abs(effect / 2));
  return Float64Array.from({ length: history.count }, (_, index) => {
    const place = placeOf(history, index);
    const off = logAt(history, place) - shapeAt(watched, history.times[place] as number) - centre;
    return Math.max(-most, Math.min(most, off)) * Math.sign(effect);
  });
}

/**
 * What divides both sides as clipped samples themselves have them: on a line of two modes, or one that changes often, their
 * means are not the levels of the half hours. 0, what divides by definition, where they tell nothing.
 */
function middleOf(history: History, towards: Float64Array, { since, start }: Undated): number {
  const early = { sum: 0, count: 0 };
  const late = { sum: 0, count: 0 };
  towards.forEach((distance, index) => {
    const time = history.times[placeOf(history, index)] as number;
    const side = time >= start ? late : time >= since && time < start - LEAD ? early : null;
    if (side === null) return;
    side.sum += distance;
    side.count += 1;
  });
  if (Math.min(early.count, late.count) < LEAST_SAMPLES) return 0;
  const [before, after] = [early.sum / early.count, late.sum / late.count];
  return after - before >= LEAST_APART * LEAST_CLIP ? before + NEAR_BEFORE * (after - before) : 0;
}
