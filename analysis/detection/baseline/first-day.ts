import { type HalfHours, isKnown, slotValue, type Table } from '../history/half-hours.ts';
import { halfHourCapacity, levelSlots, pageFloor, persistentShare, slotsPerDay } from '../parameters.ts';
import { medianOf } from '../statistics.ts';

// The first day of a series is all that its first daily shape is learnt from, and a level that changed on that day looks like
// an evening that does not end. Only the second day tells them apart: where its first hours are as far from those of the day
// before as some hour of that day was from the hour before it, a level changed.

/** Whether the hours that tell a change of the first day from its evening are not over yet. */
export function isFirstDay(halfHours: HalfHours, now: number): boolean {
  return !isKnownBefore(halfHours, now + 2 - slotsPerDay - levelSlots);
}

/** At the end of these hours: the slot of the first day from which on its level was another one; null where there is none. */
export function changeOfFirstDay(halfHours: HalfHours, now: number): number | null {
  const first = now + 1 - slotsPerDay - levelSlots;
  if (!isKnown(halfHours, first) || isKnownBefore(halfHours, first)) return null;
  const levelAt = (slot: number) => slotValue(halfHours, 'mean', slot);
  const daily: number[] = [];
  for (let slot = first + slotsPerDay; slot <= now; slot++) {
    const off = levelAt(slot) - levelAt(slot - slotsPerDay);
    if (!Number.isNaN(off)) daily.push(off);
  }
  const step = medianOf(daily);
  if (daily.length < levelSlots - 1 || Math.abs(step) < pageFloor.lasting.effect) return null;
  if (daily.filter((off) => off / step < persistentShare).length > 1) return null;
  // Means of a large change are clipped for hours; medians of a series of two modes may not move.
  const found = jumpOf(halfHours, 'middle', first, now, step) ?? jumpOf(halfHours, 'mean', first, now, step);
  // What changed on the second day is found by the ordinary test.
  return found !== null && found < first + slotsPerDay ? found : null;
}

/** The slot of [first, now] from which on a table is by about `step` from what it was; null where it nowhere is. */
function jumpOf(halfHours: HalfHours, table: Table, first: number, now: number, step: number): number | null {
  const levelAt = (slot: number) => slotValue(halfHours, table, slot);
  const levelIn = (from: number, to: number) => {
    const values: number[] = [];
    for (let slot = Math.max(first, from); slot < Math.min(now + 1, to); slot++)
      if (isKnown(halfHours, slot)) values.push(levelAt(slot));
    return medianOf(values);
  };
  let most = 0;
  let found: number | null = null;
  for (let slot = first + 1; slot <= now; slot++) {
    const jump = (levelIn(slot, slot + levelSlots) - levelIn(slot - levelSlots, slot)) / step;
    if (!(jump >= persistentShare)) continue;
    // Levels are the same for some hours around it, but the change itself is between two half hours.
    const own = Math.min(1, jump) + Math.min(1, (levelAt(slot) - levelAt(slot - 1)) / step || 0);
    if (own > most) [most, found] = [own, slot];
  }
  return found;
}

function isKnownBefore(halfHours: HalfHours, slot: number): boolean {
  for (let earlier = slot - 1; earlier > halfHours.newest - halfHourCapacity && earlier >= 0; earlier--)
    if (isKnown(halfHours, earlier)) return true;
  return false;
}
