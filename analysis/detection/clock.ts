/** Half an hour: what means are taken over, in seconds. */
export const SLOT = 1_800;
/** Slots in a day. */
export const DAY_SLOTS = 48;

/** Asia/Shanghai, which has no summer time, in seconds. */
export const SHANGHAI = 8 * 3_600;

/** The half hour that holds a time, counted from the epoch. */
export function slotOf(timestamp: number): number {
  return Math.floor(timestamp / SLOT);
}

/**
 * Place in a table of two days, a working day and then a day of the weekend, with fractions: 0 is midnight of the
 * working day, 48 that of the weekend. `offset` is local time less UTC, in seconds.
 */
export function placeInDay(timestamp: number, offset: number): number {
  const local = timestamp + offset;
  const day = Math.floor(local / 86_400);
  const slot = (local - day * 86_400) / SLOT;
  return isWeekend(day) ? slot + DAY_SLOTS : slot;
}

/** Day 0, 1970-01-01, was a Thursday. */
function isWeekend(day: number): boolean {
  const weekday = (day + 4) % 7;
  return weekday === 0 || weekday === 6;
}
