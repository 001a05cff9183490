import { logAt, placeOf } from './history.ts';
import { shapeAt, type Watched } from './watched.ts';

/** Logarithms count as at most this far from the middle of both levels, in units of the distance of either from it. */
const CLIP = 2.5;
const LEAST_CLIP = 0.1;

/**
 * The time of a change between two known levels: the split of the samples from `from` on that is likeliest, which is
 * where the sum of distances from the middle of both levels turns round (Hinkley 1970). `before` is the level before it
 * and `effect` its size, logarithms less the daily shape. Epoch seconds: halfway between the last sample before the
 * change and the first one after. Null where the samples from `from` on show no change: it is older, or was slow.
 */
export function onsetOf(watched: Watched, from: number, before: number, effect: number): number | null {
  const { history } = watched;
  const centre = before + effect / 2;
  const most = Math.max(LEAST_CLIP, CLIP * Math.abs(effect / 2));
  let sum = 0;
  let least = 0;
  let last = from;
  let found: number | null = null;
  for (let index = 0; index < history.count; index++) {
    const place = placeOf(history, index);
    const time = history.times[place] as number;
    if (time < from) continue;
    if (sum < least) {
      least = sum;
      found = Math.round((last + time) / 2);
    }
    const off = logAt(history, place) - shapeAt(watched, time) - centre;
    sum += Math.max(-most, Math.min(most, off)) * Math.sign(effect);
    last = time;
  }
  return found;
}
