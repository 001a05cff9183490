import fc from 'fast-check';
import { expect, it } from 'vitest';
import { evenly, oneIn } from '#components/charts/evenly.ts';

it('takes at most 60 points, the last among them, as far from each other', () => {
  expect(evenly(0)).toEqual([]);
  expect(evenly(60)).toEqual(Array.from({ length: 60 }, (_, index) => index));
  expect(evenly(144).slice(0, 3)).toEqual([2, 5, 8]);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000 }), (count) => {
      const taken = evenly(count);
      expect(taken.length).toBeLessThanOrEqual(60);
      expect(taken.at(-1)).toBe(count - 1);
      expect(taken[0]).toBeGreaterThanOrEqual(0);
      expect(taken[0]).toBeLessThan(oneIn(count));
      expect(taken.slice(1).every((index, before) => index - (taken[before] ?? 0) === oneIn(count))).toBe(true);
    }),
  );
});
