import { describe, expect, it } from 'vitest';
import { heavyTailed, seededRandom, seedOf } from '#demo/random.ts';

describe('the demo’s chance', () => {
  it('gives the same numbers for the same seed', () => {
    const [a, b] = [seededRandom(7), seededRandom(7)];
    const [first, second] = [Array.from({ length: 20 }, a), Array.from({ length: 20 }, b)];
    expect(first).toEqual(second);
    expect(Array.from({ length: 20 }, seededRandom(8))).not.toEqual(first);
    expect(first.every((value) => value >= 0 && value < 1)).toBe(true);
  });

  it('gives every text a seed of its own', () => {
    expect(seedOf('CN-SX telecom')).not.toBe(seedOf('CN-SN telecom'));
    expect(seedOf('CN-SX telecom')).toBe(seedOf('CN-SX telecom'));
  });

  it('draws around the median with a heavy upper tail', () => {
    const random = seededRandom(1);
    const draws = Array.from({ length: 10_000 }, () => heavyTailed(random, 2, 0.9)).toSorted((a, b) => a - b);
    expect(draws[5_000]).toBeGreaterThan(1.9);
    expect(draws[5_000]).toBeLessThan(2.1);
    expect(draws[9_800]).toBeGreaterThan(10);
    expect(draws[0]).toBeGreaterThan(0);
  });
});
