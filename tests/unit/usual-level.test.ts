import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  classShares,
  dayParts,
  HOUR_CLASSES,
  hourClassOf,
  type PartLevel,
  slowerSince,
  usualLevels,
  usualOver,
} from '#analysis/usual-level.ts';

const SHANGHAI = 8 * 3_600;
const DAY = 86_400;
const at = (text: string) => Date.parse(text) / 1_000;
/** The name of the class of an instant of local time. */
const nameAt = (local: string) => HOUR_CLASSES[hourClassOf(at(`${local}Z`))];

/** Parts of days from Monday 2 November 2026 on, in Shanghai, at levels by their day and class. */
const levels = (days: number, levelOf: (day: number, hourClass: number) => number): PartLevel[] => {
  const from = at('2026-11-02T00:00:00Z') - SHANGHAI;
  return dayParts(from, from + days * DAY, SHANGHAI).map((part) => ({
    ...part,
    level: levelOf(Math.floor((part.from - from) / DAY), part.hourClass),
  }));
};

describe('an hour class', () => {
  it('is night until 8, day until 18, evening until midnight, of working days and weekends', () => {
    expect(nameAt('2026-11-20T07:59:59')).toBe('workday_night');
    expect(nameAt('2026-11-20T08:00:00')).toBe('workday_day');
    expect(nameAt('2026-11-20T17:59:59')).toBe('workday_day');
    expect(nameAt('2026-11-20T18:00:00')).toBe('workday_evening');
    expect(nameAt('2026-11-21T00:00:00')).toBe('weekend_night');
    expect(nameAt('2026-11-22T23:59:59')).toBe('weekend_evening');
    expect(nameAt('2026-11-23T00:00:00')).toBe('workday_night');
  });

  it('cuts a local day into three parts, whole ones alone', () => {
    const parts = dayParts(at('2026-11-19T15:00:00Z'), at('2026-11-20T15:00:00Z'), SHANGHAI);
    expect(parts).toEqual([
      { hourClass: 0, from: at('2026-11-19T16:00:00Z'), to: at('2026-11-20T00:00:00Z') },
      { hourClass: 1, from: at('2026-11-20T00:00:00Z'), to: at('2026-11-20T10:00:00Z') },
    ]);
  });

  it('has its share of a range', () => {
    const day = classShares(at('2026-11-19T16:00:00Z'), at('2026-11-20T16:00:00Z'), SHANGHAI);
    expect(day.map((share) => Math.round(share * 24))).toEqual([8, 10, 6, 0, 0, 0]);
    const minute = classShares(at('2026-11-21T01:00:00Z'), at('2026-11-21T01:01:00Z'), SHANGHAI);
    expect(minute).toEqual([0, 0, 0, 0, 1, 0]);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2e9 }), fc.integer({ min: 1, max: 900_000 }), (from, length) => {
        const shares = classShares(from, from + length, SHANGHAI);
        return Math.abs(shares.reduce((sum, share) => sum + share, 0) - 1) < 1e-9;
      }),
      { numRuns: 50 },
    );
  });
});

describe('the usual level', () => {
  it('is the best that lasted three days of its class, and stays when the level rises', () => {
    // Monday 38 and Tuesday 20 by day, 40 until Monday of the second week, 61 after it.
    const found = levels(14, (day, hourClass) =>
      hourClass !== 1 ? 50 : day === 1 ? 20 : day === 0 ? 38 : day < 8 ? 40 : 61,
    );
    // Weekends are slower than the working days around them by a quarter.
    expect(usualLevels(found)).toEqual([50, 38, 50, 50, expect.closeTo(47.5), 50]);
  });

  it('of a class without enough days is that of the same hours of the other days', () => {
    expect(usualLevels(levels(4, (_, hourClass) => 10 * (hourClass + 1)))).toEqual([10, 20, 30, 10, 20, 30]);
    expect(usualLevels(levels(2, () => 50))).toEqual([null, null, null, null, null, null]);
    expect(usualLevels([])).toEqual([null, null, null, null, null, null]);
  });

  it('of a level that was accepted is known from its first days on, and the best that lasted once there are enough', () => {
    const isAccepted = { isAccepted: true };
    // Monday 61, Tuesday 63, and from Wednesday on 60.
    const found = (days: number) => levels(days, (day) => (day === 0 ? 61 : day === 1 ? 63 : 60));
    expect(usualLevels(found(1), isAccepted)).toEqual([61, 61, 61, 61, 61, 61]);
    expect(usualLevels(found(2), isAccepted)).toEqual([62, 62, 62, 62, 62, 62]);
    expect(usualLevels(found(5), isAccepted)).toEqual([60, 60, 60, 60, 60, 60]);
    expect(usualLevels([], isAccepted)).toEqual([null, null, null, null, null, null]);
  });

  it('of weekends is that of working days where it became slower before the first weekend', () => {
    // Monday to Thursday 32, from Friday on 100: the weekends were never better, and nobody knows that they are slower by themselves.
    const found = levels(14, (day) => (day < 4 ? 32 : 100));
    expect(usualLevels(found)).toEqual([32, 32, 32, 32, 32, 32]);
    expect(slowerSince(found, usualLevels(found))).toBe(at('2026-11-06T00:00:00Z') - SHANGHAI);
    // The same from Friday morning on: that night is the best one's last, and the next one is of the weekend.
    const morning = levels(14, (day, hourClass) => (day < 4 || (day === 4 && hourClass === 0) ? 32 : 100));
    expect(usualLevels(morning)).toEqual([32, 32, 32, 32, 32, 32]);
    // Slower weekends of a series that was measured at one before the rise keep theirs.
    const known = levels(21, (_, hourClass) => (hourClass < 3 ? 32 : 60));
    expect(usualLevels(known)).toEqual(
      [32, 32, 32, 32, 32, 32].map((level, hourClass) => (hourClass < 3 ? level : 60)),
    );
  });

  it('of weekends follows a change that working days had in the middle of a week, from its first weekend on', () => {
    // Better from the second Wednesday on, with and without weekends that are slower by themselves by a quarter.
    const better = (weekend: number) => (day: number, hourClass: number) =>
      (day < 9 ? 64 : 32) * (hourClass < 3 ? 1 : weekend);
    for (const days of [12, 13, 14, 21]) {
      expect(usualLevels(levels(days, better(1)))).toEqual([32, 32, 32, 32, 32, 32]);
      expect(usualLevels(levels(days, better(1.25))).map((level) => Math.round(level ?? 0))).toEqual([
        32, 32, 32, 40, 40, 40,
      ]);
    }
    // Slower, where half a weekend alone was before it.
    const slower = levels(24, (day) => (day < 10 ? 32 : 96)).filter(
      ({ from }) => from >= at('2026-11-08T00:00:00Z') - SHANGHAI,
    );
    expect(usualLevels(slower)).toEqual([32, 32, 32, 32, 32, 32]);
  });

  it('of weekends is remembered when they alone become slower', () => {
    // One good weekend, then three at half as much again.
    const found = levels(28, (day, hourClass) => (hourClass < 3 || day < 7 ? 40 : 60));
    expect(usualLevels(found)).toEqual([40, 40, 40, 40, 40, 40]);
  });

  it.each([
    [
      'one Friday or Monday is as slow as they are',
      40,
      (day: number) => (day === 11 || day === 21 ? 60 : 40),
      [60, 60],
    ],
    ['Saturdays are slower than Sundays', 40, () => 40, [60, 48]],
    ['everything becomes better on a Saturday', 40, (day: number) => (day < 19 ? 50 : 40), [62.5, 62.5]],
  ])(
    'of weekends that are slower by themselves stays where %s',
    (_what, least, workday, [saturday = 0, sunday = 0]) => {
      // Saturdays are the days 5, 12, 19 and 26.
      const found = levels(30, (day, hourClass) => {
        if (hourClass < 3) return workday(day);
        const weekend = day % 7 === 5 ? saturday : sunday;
        return weekend * (workday(day) === 40 && saturday === 62.5 ? 0.8 : 1);
      });
      const usual = usualLevels(found).map((level) => Math.round(level ?? 0));
      expect(usual.slice(0, 3)).toEqual([least, least, least]);
      expect(Math.min(...usual.slice(3))).toBeGreaterThanOrEqual(Math.round(1.25 * least));
    },
  );

  it('of weekends does not learn a bad weekend between good ones', () => {
    // Fifteen days that begin and end with a Sunday: of four weekend days two in a row are bad.
    const found = levels(21, (day, hourClass) => (hourClass >= 3 && (day === 12 || day === 13) ? 60 : 40)).filter(
      ({ from }) => from >= at('2026-11-08T00:00:00Z') - SHANGHAI && from < at('2026-11-21T16:00:00Z'),
    );
    expect(usualLevels(found)).toEqual([40, 40, 40, 40, 40, 40]);
  });

  it('is never below the best nor above the worst part', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 90, maxLength: 90 }), (values) => {
        const found = levels(30, () => 0).map((part, index) => ({ ...part, level: values[index] ?? 1 }));
        const usual = usualLevels(found).filter((level) => level !== null);
        return usual.every((level) => level >= Math.min(...values) && level <= Math.max(...values));
      }),
    );
  });

  it('over hours of several classes is their median by time, and unknown where one of them is', () => {
    expect(usualOver([40, 60, null, null, null, null], [0.25, 0.75, 0, 0, 0, 0])).toBe(60);
    // A working day that is slow in the evening alone: half of what is measured is not above 30.
    const day = classShares(at('2026-11-18T16:00:00Z'), at('2026-11-19T16:00:00Z'), SHANGHAI);
    expect(usualOver([30, 30, 60, 30, 30, 60], day)).toBe(30);
    expect(usualOver([60, 60, 30, 60, 60, 30], day)).toBe(60);
    // Of as many hours by day as in the evening the lower.
    const half = classShares(at('2026-11-19T04:00:00Z'), at('2026-11-19T16:00:00Z'), SHANGHAI);
    expect([usualOver([50, 30, 60], half), usualOver([50, 60, 30], half)]).toEqual([30, 30]);
    expect(usualOver([40, null, null, null, null, null], [0.25, 0.75, 0, 0, 0, 0])).toBeNull();
  });
});

describe('since when it is slower', () => {
  it('is the first of the parts that exceed it by 10% and 3 ms without a break', () => {
    const rise = levels(14, (day) => (day < 9 ? 40 : 61));
    const usual = usualLevels(rise);
    expect(slowerSince(rise, usual)).toBe(at('2026-11-11T00:00:00Z') - SHANGHAI);
  });

  it('is nothing where it came down again, is small, or is of less than a day', () => {
    const found = (levelOf: (day: number) => number) => {
      const made = levels(14, levelOf);
      return slowerSince(made, usualLevels(made));
    };
    expect(found((day) => (day < 9 || day > 12 ? 40 : 61))).toBeNull();
    expect(found((day) => (day < 9 ? 40 : 43))).toBeNull();
    expect(found((day) => (day < 9 ? 10 : 12.5))).toBeNull();
    const short = levels(14, () => 40).map((part, index, all) =>
      index < all.length - 2 ? part : { ...part, level: 61 },
    );
    expect(slowerSince(short, usualLevels(short))).toBeNull();
  });
});
