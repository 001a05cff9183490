import { isUnknown } from '../baseline/daily-shape.ts';
import { isFirstDay } from '../baseline/first-day.ts';
import { middleOfSlot, positionInDay } from '../history/half-hours.ts';
import { lowHoursQuantile, outsidePeak, peakVariation, persistentShare, slotsPerDay } from '../parameters.ts';
import type { Levels } from '../series/levels.ts';
import { ascending, meanOf, quantileOf } from '../statistics.ts';

/**
 * Whether a step over the last slots may be nothing but a peak of the day higher or lower than usual: it is no more than the
 * shape's own height allows for, and the hours outside the peak do not show it, or have not come yet. `values` are less
 * the shape and end at the present, `level` is that before.
 */
export function couldBeDailyPeak(levels: Levels, values: Float64Array, level: number, effect: number): boolean {
  const first = levels.now + 1 - values.length;
  // Before a shape is known any change may be the first evening, and that of a single day may hold a change.
  if (isUnknown(levels.shape) || isFirstDay(levels.halfHours, levels.now)) return true;
  const ranges = [rangeOf(levels, 0), rangeOf(levels, slotsPerDay)] as const;
  const above: number[] = [];
  const outside: number[] = [];
  values.forEach((value, index) => {
    if (Number.isNaN(value)) return;
    const position = Math.floor(positionInDay(middleOfSlot(first + index), levels.offset));
    const { low, top } = position < slotsPerDay ? ranges[0] : ranges[1];
    const height = (levels.shape.value[position] as number) - low;
    above.push(Math.max(0, height));
    if (height < outsidePeak * (top - low)) outside.push(value);
  });
  if (Math.abs(effect) > peakVariation * meanOf(above)) return false;
  return outside.length === 0 || (meanOf(outside) - level) / effect < persistentShare;
}

/** The low hours' level and the peak's of a kind of day, which begins at `kind`. */
function rangeOf({ shape }: Levels, kind: number): { low: number; top: number } {
  const day = ascending(shape.value.subarray(kind, kind + slotsPerDay));
  return { low: quantileOf(day, lowHoursQuantile), top: day[slotsPerDay - 1] as number };
}
