import { isUnknown } from '../baseline/daily-shape.ts';
import { DAY_SLOTS, middleOfSlot, placeInDay } from '../history/half-hours.ts';
import type { Levels } from '../series/levels.ts';
import { ascending, meanOf, quantileOf } from '../statistics.ts';

/** The day's low hours: this quantile of its shape. */
const LOW_HOURS = 0.2;
/** Outside the peak the shape is under this part of its height. */
const OUTSIDE = 1 / 3;
/** By how much of its height one day's peak may be higher, or lower, than the shape says; few evenings do not know all. */
const MAY_DIFFER = 0.8;
/** Half hours outside the peak that must show a change which the peak may be, and what part of it. */
const LEAST_OUTSIDE = 2;
const SHOWN = 0.55;

/**
 * Whether a step over the last slots may be nothing but a peak of the day higher or lower than usual: it is no more than the
 * shape's own height allows for, and the hours outside the peak do not show it, or have not come yet. `values` are less
 * the shape and end at the present, `level` is that before.
 */
export function mayBePeak(levels: Levels, values: Float64Array, level: number, effect: number): boolean {
  const first = levels.now + 1 - values.length;
  // Of a line's first evening nobody can say whether it is one.
  if (isUnknown(levels.shape)) return true;
  const ranges = [rangeOf(levels, 0), rangeOf(levels, DAY_SLOTS)] as const;
  const above: number[] = [];
  const outside: number[] = [];
  values.forEach((value, index) => {
    if (Number.isNaN(value)) return;
    const place = Math.floor(placeInDay(middleOfSlot(first + index), levels.offset));
    const { low, top } = place < DAY_SLOTS ? ranges[0] : ranges[1];
    const height = (levels.shape.value[place] as number) - low;
    above.push(Math.max(0, height));
    if (height < OUTSIDE * (top - low)) outside.push(value);
  });
  if (Math.abs(effect) > MAY_DIFFER * meanOf(above)) return false;
  return outside.length < LEAST_OUTSIDE || (meanOf(outside) - level) / effect < SHOWN;
}

/** The low hours' level and the peak's of a kind of day, which begins at `kind`. */
function rangeOf({ shape }: Levels, kind: number): { low: number; top: number } {
  const day = ascending(shape.value.subarray(kind, kind + DAY_SLOTS));
  return { low: quantileOf(day, LOW_HOURS), top: day[DAY_SLOTS - 1] as number };
}
