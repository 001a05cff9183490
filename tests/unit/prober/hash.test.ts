import { v4, v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { phaseOf, threadOf } from '#workers/prober/hash.ts';

const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const COUNT = 2_000;
const KINDS: [string, (index: number) => string][] = [
  ['numbers in a row', idOf],
  ['random ids', () => v4()],
  ['ids made within one millisecond', () => v7({ msecs: 1_795_000_000_000 })],
];

/** How many values fall into each of `parts` equal parts of 0 to 1. */
function histogram(values: number[], parts: number): number[] {
  const counts = Array.from({ length: parts }, () => 0);
  for (const value of values) {
    const part = Math.floor(value * parts);
    counts[part] = (counts[part] ?? 0) + 1;
  }
  return counts;
}

/** Pearson's chi-squared: its mean is the number of parts less 1 where the spread is as even as chance makes it. */
function chiSquared(counts: number[]): number {
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  return counts.reduce((sum, count) => sum + (count - mean) ** 2 / mean, 0);
}

describe('the place of a check in its period', () => {
  it('is the same wherever and whenever it is asked', () => {
    // Written down once: another value would move every check of every prober at its next restart.
    expect(phaseOf('0197f3a0-0000-7000-8000-000000000001')).toBeCloseTo(0.545753, 6);
    expect(threadOf('0197f3a0-0000-7000-8000-000000000001', 4)).toBe(1);
  });

  it.each(KINDS)('is spread evenly over the period for %s', (_, idAt) => {
    const phases = Array.from({ length: COUNT }, (_each, index) => phaseOf(idAt(index)));
    const counts = histogram(phases, 100);
    // 20 a hundredth in the mean. 99 degrees of freedom: beyond 180 once in a million draws.
    expect(chiSquared(counts)).toBeLessThan(180);
    expect(Math.max(...counts)).toBeLessThan(50);
    expect(Math.min(...phases)).toBeLessThan(0.01);
    expect(Math.max(...phases)).toBeLessThan(1);
  });

  it.each(KINDS)('and on each of four threads as well, which share the checks evenly, for %s', (_, idAt) => {
    const ids = Array.from({ length: COUNT }, (_each, index) => idAt(index));
    for (let thread = 0; thread < 4; thread += 1) {
      const phases = ids.filter((id) => threadOf(id, 4) === thread).map(phaseOf);
      expect(Math.abs(phases.length - COUNT / 4)).toBeLessThan(100);
      expect(chiSquared(histogram(phases, 20))).toBeLessThan(70);
    }
  });
});
