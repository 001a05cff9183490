import { describe, expect, it } from 'vitest';
import { Random } from '../../../bench/detect/world/random.ts';

const draw = (seed: number, count: number) => {
  const random = new Random(seed);
  return Array.from({ length: count }, () => random.next());
};

describe('seeded random numbers', () => {
  it('give the same numbers for the same seed, and others for another', () => {
    expect(draw(7, 20)).toEqual(draw(7, 20));
    expect(draw(8, 20)).not.toEqual(draw(7, 20));
  });

  it('fork by name, whatever was drawn before', () => {
    const [fresh, used] = [new Random(7), new Random(7)];
    used.next();
    expect(used.fork('a').next()).toBe(fresh.fork('a').next());
    expect(fresh.fork('a').next()).not.toBe(fresh.fork('b').next());
  });

  it('draw normals, exponentials and factors with the moments that they say', () => {
    const random = new Random(1);
    const mean = (draw: () => number) => Array.from({ length: 20_000 }, draw).reduce((sum, x) => sum + x, 0) / 20_000;
    expect(Math.abs(mean(() => random.normal()))).toBeLessThan(0.03);
    expect(mean(() => random.normal() ** 2)).toBeCloseTo(1, 1);
    expect(mean(() => random.exponential(4))).toBeCloseTo(4, 0);
    expect(mean(() => random.factor(0.3))).toBeCloseTo(1, 1);
    expect(mean(() => random.poisson(1.6))).toBeCloseTo(1.6, 1);
  });

  it('pick some without repeating, in their order', () => {
    const some = new Random(3).some(['a', 'b', 'c', 'd', 'e'], 3);
    expect(new Set(some).size).toBe(3);
    expect(some).toEqual([...some].sort());
    expect(new Random(3).some(['a'], 3)).toEqual(['a']);
  });
});
