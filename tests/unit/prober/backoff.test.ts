import { expect, it } from 'vitest';
import { backoffMs } from '#workers/prober/backoff.ts';

it('doubles the wait up to half a minute and spreads it over its upper half', () => {
  expect([1, 2, 3, 10, 1_000].map((attempt) => backoffMs(attempt, () => 1))).toEqual([
    500, 1_000, 2_000, 30_000, 30_000,
  ]);
  expect(backoffMs(3, () => 0)).toBe(1_000);
});
