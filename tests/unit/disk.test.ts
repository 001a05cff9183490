import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { daysUntilFull } from '#server/database/disk.ts';

const GB = 1e9;

describe('how long the disk lasts', () => {
  it('is not known where the free space is not', () => {
    expect(daysUntilFull([{ days: 30, bytes: 0, bytesPerDay: GB }], null)).toBeNull();
  });

  it('is for good where everything fits at its full length', () => {
    expect(daysUntilFull([{ days: 30, bytes: 10 * GB, bytesPerDay: GB }], 20 * GB)).toBeNull();
    expect(daysUntilFull([{ days: 30, bytes: 90 * GB, bytesPerDay: GB }], 0)).toBeNull();
    expect(daysUntilFull([{ days: 30, bytes: 0, bytesPerDay: null }], GB)).toBeNull();
  });

  it('is the free space over the rate while all of it grows', () => {
    expect(daysUntilFull([{ days: 30, bytes: 10 * GB, bytesPerDay: GB }], 5 * GB)).toBe(5);
  });

  it('counts what is full no longer', () => {
    const raw = { days: 10, bytes: 8 * GB, bytesPerDay: GB }; // two days more
    const days = { days: 1_000, bytes: 0, bytesPerDay: 0.5 * GB };
    expect(daysUntilFull([raw, days], 5 * GB)).toBe(2 + 4);
  });

  it('is the day on which the sum first exceeds what is free, whatever the classes', () => {
    const one = fc.record({
      days: fc.integer({ min: 1, max: 400 }),
      bytes: fc.integer({ min: 0, max: 500 }),
      bytesPerDay: fc.option(fc.integer({ min: 0, max: 20 })),
    });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 6 }), fc.integer({ min: 0, max: 4_000 }), (classes, free) => {
        const grownBy = (day: number) =>
          classes.reduce((sum, { days, bytes, bytesPerDay }) => {
            const rate = bytesPerDay ?? 0;
            return sum + Math.max(0, Math.min(rate * day, rate * days - bytes));
          }, 0);
        const found = daysUntilFull(classes, free);
        // A class within a byte of its length is full: each may leave that much.
        const slack = classes.length;
        if (found === null) expect(grownBy(401)).toBeLessThanOrEqual(free + slack);
        else {
          expect(grownBy(found)).toBeLessThanOrEqual(free + slack);
          expect(grownBy(found + 1)).toBeGreaterThanOrEqual(free - slack);
        }
      }),
    );
  });
});
