import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Plan, sharesOf } from '#cli/probe/plan.ts';
import { ProbeSettings } from '#contract/target.ts';

const plan = (more: Partial<Plan>): Plan => ({
  url: 'https://a.example/',
  settings: ProbeSettings.parse({}),
  otherAddresses: [],
  timeoutMs: 1_000,
  count: 100,
  everyMs: 10,
  concurrency: 8,
  ...more,
});

const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);

describe('a plan of `roundtrip probe` that threads share', () => {
  it('keeps its count and its cap, whatever the numbers', () => {
    const number = fc.integer({ min: 1, max: 10_000 });
    fc.assert(
      fc.property(number, number, fc.integer({ min: 1, max: 64 }), (count, concurrency, threads) => {
        const shares = sharesOf(plan({ count, concurrency }), threads);
        expect(sum(shares.map((share) => share.count))).toBe(count);
        expect(sum(shares.map((share) => share.concurrency))).toBe(concurrency);
        expect(Math.min(...shares.map((share) => Math.min(share.count, share.concurrency)))).toBeGreaterThan(0);
        expect(shares.length).toBeLessThanOrEqual(threads);
      }),
    );
  });

  it('takes no more threads than may have a probe in flight', () => {
    expect(sharesOf(plan({ concurrency: 2 }), 4)).toHaveLength(2);
    expect(sharesOf(plan({ count: 3 }), 4)).toHaveLength(3);
  });

  it('keeps its pace', () => {
    expect(sharesOf(plan({ everyMs: 10 }), 4).map(({ everyMs }) => everyMs)).toEqual([40, 40, 40, 40]);
  });
});
