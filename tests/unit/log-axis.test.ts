import fc from 'fast-check';
import { expect, it } from 'vitest';
import { logTicks } from '#components/charts/log-axis.ts';

it.each([
  [38, 55, [20, 50, 100]],
  [20, 50, [20, 50]],
  [0.3, 4, [0.2, 0.5, 1, 2, 5]],
  [0.3, 9_000, [0.1, 1, 10, 100, 1_000, 10_000]],
  [100, 100, [100, 200]],
])('has ticks at 1, 2 and 5, or at powers of ten, from below %d to above %d', (low, high, ticks) => {
  expect(logTicks(low, high)).toEqual(ticks);
});

it('never begins at zero, holds all values above it, and has few ticks', () => {
  const values = fc.double({ min: 0, max: 1e6, noNaN: true }).map((value) => (value < 1e-3 ? 0 : value));
  fc.assert(
    fc.property(values, values, (one, other) => {
      const [low, high] = [Math.min(one, other), Math.max(one, other)];
      const ticks = logTicks(low, high);
      expect(ticks[0]).toBeGreaterThan(0);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(high);
      if (low > 0) expect(ticks[0]).toBeLessThanOrEqual(low);
      expect(ticks.length).toBeGreaterThan(1);
      expect(ticks.length).toBeLessThanOrEqual(11);
    }),
  );
});
