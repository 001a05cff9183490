// The usual level of a series: the best lasting level of 30 days, by hour class. A baseline that follows its series forgets within days how fast it
// was; this one remembers until a person accepts the new level, or until 30 days have passed.

import { medianOf, weightedMedian } from './detection/statistics.ts';

/** Hours of the day that are alike, in local time: until 8, until 18, until midnight; of working days (Monday to Friday) and of weekends. */
export const HOUR_CLASSES = [
  'workday_night',
  'workday_day',
  'workday_evening',
  'weekend_night',
  'weekend_day',
  'weekend_evening',
] as const;
const PARTS = [0, 8, 18, 24] as const;
const PARTS_A_DAY = 3;

/** So many days back a usual level is looked for. */
export const USUAL_DAYS = 30;
/** A level lasts when as many of its class in a row have it; there are fewer weekends. */
const LASTING = { workday: 3, weekend: 2 } as const;
/** A part of a day with fewer samples has no level. */
export const LEAST_SAMPLES = 10;
/** A series is slower than usual where it exceeds its usual level by both of these, for a day's parts at least. */
export const SLOWER = { ratio: 0.1, ms: 3, parts: PARTS_A_DAY } as const;

const HOUR = 3_600;
const DAY = 86_400;
/** 1 January 1970 was a Thursday. */
const MONDAY = 3;

/** A part of a local day: its class (an index of HOUR_CLASSES), and [from, to) in seconds since 1970, UTC. */
export type DayPart = { hourClass: number; from: number; to: number };

/** The class of an instant, seconds since 1970 of local time. */
export function hourClassOf(local: number): number {
  const weekday = (Math.floor(local / DAY) + MONDAY) % 7;
  const hour = (((local % DAY) + DAY) % DAY) / HOUR;
  const part = hour < PARTS[1] ? 0 : hour < PARTS[2] ? 1 : 2;
  return (weekday < 5 ? 0 : PARTS_A_DAY) + part;
}

/** The parts of days that lie wholly in [from, to), seconds since 1970, where local time is `offset` seconds ahead. The oldest first. */
export function dayParts(from: number, to: number, offset: number): DayPart[] {
  const parts: DayPart[] = [];
  for (let day = Math.floor((from + offset) / DAY); day * DAY < to + offset; day++)
    for (let part = 0; part < PARTS_A_DAY; part++) {
      const [begin, end] = [PARTS[part] ?? 0, PARTS[part + 1] ?? 24].map((hour) => day * DAY + hour * HOUR - offset);
      if (begin === undefined || end === undefined || begin < from || end > to) continue;
      parts.push({ hourClass: hourClassOf(begin + offset), from: begin, to: end });
    }
  return parts;
}

/** The level of a series in a part of a day. */
export type PartLevel = DayPart & { level: number };

/**
 * The usual level of each class, ms. Of working days it is the lowest median of three in a row, so that one good day is none. Of weekends, of
 * which there are few, it is that of the same hours of working days times what weekends differ from these by: a change in the middle of a week
 * is one of both. A class without lasting parts has the level of the same hours of the other days; null where these have none either. Of a
 * level that `isAccepted` it is known that it lasts: until there are enough parts it is the median of those that there are.
 */
export function usualLevels(levels: readonly PartLevel[], { isAccepted = false } = {}): (number | null)[] {
  const parts = HOUR_CLASSES.map((_, hourClass) => levels.filter((each) => each.hourClass === hourClass));
  const workdays = parts.slice(0, PARTS_A_DAY);
  const weekends = parts.slice(PARTS_A_DAY);
  const ofWorkdays = workdays.map(
    (own, part) =>
      bestOf(own, LASTING.workday, isAccepted) ?? bestOf(weekends[part] ?? [], LASTING.weekend, isAccepted),
  );
  const ofWeekends = weekends.map((own, part) => {
    const level = ofWorkdays[part] ?? null;
    if (level === null) return null;
    const all = [...own, ...(workdays[part] ?? [])].map((each) => each.level);
    const ratio = weekendRatio(own, workdays[part] ?? []);
    return Math.min(Math.max(...all), Math.max(Math.min(...all), level * ratio));
  });
  return [...ofWorkdays, ...ofWeekends];
}

/** The best level that lasted, ms; null where none did. */
function bestOf(own: readonly PartLevel[], lasting: number, isAccepted: boolean): number | null {
  const least = isAccepted ? Math.max(1, Math.min(lasting, own.length)) : lasting;
  const runs = own
    .slice(least - 1)
    .map((_, index) => medianOf(own.slice(index, index + least).map(({ level }) => level)));
  return runs.length === 0 ? null : Math.min(...runs);
}

/**
 * How many times as slow weekends are as working days in the same hours, by the ratio of a day to the Friday before or the Monday after, to which
 * it is nearer: the best that two days in a row have, or half of the Saturdays and half of the Sundays. So neither a good day counts, nor bad
 * weekends after a good one, nor a bad one between good ones. Days between a Friday and a Monday that are alike tell, and those with one of
 * these alone that are like it; others where there are no such days. 1 where fewer than two are known.
 */
function weekendRatio(weekends: readonly PartLevel[], workdays: readonly PartLevel[]): number {
  const compared = weekends.flatMap(({ from, level }) => {
    const friday = workdays.findLast((each) => each.from < from)?.level;
    const monday = workdays.find((each) => each.from > from)?.level;
    const [nearest] = [friday, monday]
      .flatMap((beside) => (beside === undefined ? [] : Math.log(level / beside)))
      .toSorted((a, b) => Math.abs(a) - Math.abs(b));
    if (nearest === undefined) return [];
    const ratio = Math.exp(nearest);
    const tells = friday === undefined || monday === undefined ? isAlike(ratio, 1) : isAlike(friday, monday);
    // Parts of one class are whole days apart, or a day more or less.
    return { ratio, tells, weekday: Math.round(from / DAY) % 7 };
  });
  const telling = compared.filter(({ tells }) => tells);
  const used = telling.length < LASTING.weekend ? compared : telling;
  const pairs = used.slice(1).map(({ ratio }, index) => Math.max(ratio, used[index]?.ratio ?? ratio));
  const half = (own: number[]) => own.toSorted((a, b) => a - b)[Math.ceil(own.length / 2) - 1] ?? 1;
  const halves = [...Map.groupBy(used, ({ weekday }) => weekday).values()].map((own) =>
    half(own.map(({ ratio }) => ratio)),
  );
  return pairs.length < LASTING.weekend ? (pairs[0] ?? 1) : Math.min(Math.max(...halves), ...pairs);
}

const isAlike = (a: number, b: number) => Math.max(a, b) <= Math.min(a, b) * (1 + SLOWER.ratio);

/** Since when each part of a day was slower than usual without a break; null where the last ones were not, or for less than a day. */
export function slowerSince(levels: readonly PartLevel[], usual: readonly (number | null)[]): number | null {
  const isSlower = ({ hourClass, level }: PartLevel) => {
    const known = usual[hourClass] ?? null;
    return known !== null && level > known * (1 + SLOWER.ratio) && level > known + SLOWER.ms;
  };
  const last = levels.findLastIndex((each) => !isSlower(each));
  const run = levels.slice(last + 1);
  return run.length >= SLOWER.parts ? (run[0]?.from ?? null) : null;
}

/** What shares of [from, to) belong to each class, where local time is `offset` seconds ahead; they add up to 1. */
export function classShares(from: number, to: number, offset: number): number[] {
  const shares = HOUR_CLASSES.map(() => 0);
  const add = (begin: number, end: number) => {
    const hourClass = hourClassOf(begin + offset);
    shares[hourClass] = (shares[hourClass] ?? 0) + (end - begin) / Math.max(1, to - from);
  };
  // All bounds of parts are whole hours.
  for (let at = from; at < to; ) {
    const next = Math.min(to, (Math.floor((at + offset) / HOUR) + 1) * HOUR - offset);
    add(at, next);
    at = next;
  }
  return shares;
}

/**
 * The usual level over hours of several classes: their median by time, since it is set beside the median of all that was measured in
 * these hours. Null where it is not known of some of them.
 */
export function usualOver(levels: readonly (number | null)[], shares: readonly number[]): number | null {
  const values: { value: number; weight: number }[] = [];
  for (const [hourClass, weight] of shares.entries()) {
    if (weight === 0) continue;
    const value = levels[hourClass] ?? null;
    if (value === null) return null;
    values.push({ value, weight });
  }
  return values.length === 0 ? null : weightedMedian(values);
}
