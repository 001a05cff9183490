import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectedFalsePages, leastSeriesFor } from '#server/incidents/budget.ts';

describe('the budget of false pages', () => {
  it('asks for more series of a page, the more there are', () => {
    expect(leastSeriesFor(1, { series: 12, scope: 12 })).toBe(1);
    expect(leastSeriesFor(1, { series: 279, scope: 93 })).toBe(2);
    expect(leastSeriesFor(1, { series: 10_000, scope: 3_400 })).toBeGreaterThan(2);
  });

  it('is what is expected of pages of one series where one is enough', () => {
    expect(expectedFalsePages(1, { series: 20, scope: 1 })).toBeCloseTo(1, 10);
    expect(expectedFalsePages(2, { series: 20, scope: 1 })).toBe(0);
  });

  it('is kept, however many series there are, and no more is asked than it needs', () => {
    const watched = fc
      .tuple(fc.integer({ min: 1, max: 20_000 }), fc.double({ min: 0.01, max: 1, noNaN: true }))
      .map(([series, share]) => ({ series, scope: Math.min(400, Math.ceil(series * share)) }));
    fc.assert(
      fc.property(watched, fc.double({ min: 0.1, max: 20, noNaN: true }), (of, budget) => {
        const least = leastSeriesFor(budget, of);
        expect(expectedFalsePages(least, of)).toBeLessThanOrEqual(budget);
        if (least > 1) expect(expectedFalsePages(least - 1, of)).toBeGreaterThan(budget);
      }),
    );
  });
});
