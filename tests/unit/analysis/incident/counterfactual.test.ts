import { describe, expect, it } from 'vitest';
import { movementOf, type Unaffected } from '#analysis/incident/counterfactual.ts';
import type { Measurement } from '#analysis/incident/measurement.ts';

const side = (ms: number, results: number): Measurement[] =>
  Array.from({ length: results }, () => {
    const unknown = { rttMs: null, trips: null, expectedTrips: null, answerMs: null };
    return {
      ms,
      ...unknown,
      resumed: false,
      helloRetry: false,
      lost: false,
      synRepeated: false,
      lateMs: 0,
      dimensions: {},
    };
  });
const series = (before: number, after: number, usual: number | null = 1, results = [5, 5]): Unaffected => {
  return { before: side(before, results[0] ?? 0), after: side(after, results[1] ?? 0), usual };
};

describe('what unaffected series moved by', () => {
  it('is the median of their ratios, which one that is odd does not move', () => {
    const found = movementOf([series(100, 110), series(10, 11), series(20, 20), series(30, 300)]);
    expect(found).toEqual({ ratio: expect.closeTo(1.1, 9), siblings: 4 });
  });

  it('is what they moved by beyond their usual day, where that is asked for and known', () => {
    const evening = series(40, 52, 1.2);
    expect(movementOf([evening, evening, evening])?.ratio).toBeCloseTo(52 / 40 / 1.2, 9);
    expect(movementOf([evening, evening, series(40, 52, null)])).toBeNull();
  });

  it('is not known of two, nor of series with four results on a side', () => {
    const known = series(10, 11);
    expect(movementOf([known, known, known])).not.toBeNull();
    expect(movementOf([known, known])).toBeNull();
    expect(movementOf([known, known, series(10, 11, 1, [4, 5])])).toBeNull();
    expect(movementOf([known, known, series(10, 11, 1, [5, 4])])).toBeNull();
  });
});
