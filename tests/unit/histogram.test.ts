import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyHistogram, mean, mergeInto, quantile } from '#analysis/histogram.ts';
import { encodeHistogram, histogramOf, mergeEncoded } from '../support/histograms.ts';

const durations = fc.array(
  fc.integer({ min: 0, max: 600_000_000 }).map((us) => us / 1_000),
  { minLength: 1, maxLength: 300 },
);

function exactQuantile(values: number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(q * sorted.length - 1e-9) - 1)] ?? Number.NaN;
}

describe('a histogram', () => {
  it('gives every quantile within 1% (or a thousandth)', () => {
    fc.assert(
      fc.property(durations, fc.constantFrom(0, 0.01, 0.5, 0.75, 0.9, 0.95, 0.99, 1), (values, q) => {
        const exact = exactQuantile(values, q);
        expect(Math.abs((quantile(histogramOf(values), q) ?? Number.NaN) - exact)).toBeLessThanOrEqual(
          exact * 0.01 + 0.001,
        );
      }),
    );
  });

  it('gives the exact mean', () => {
    fc.assert(
      fc.property(durations, (values) => {
        const exact = values.reduce((sum, value) => sum + value, 0) / values.length;
        expect(mean(histogramOf(values))).toBeCloseTo(exact, 4);
      }),
    );
  });

  it('is the same whether values are added at once or merged in parts, in any order', () => {
    fc.assert(
      fc.property(durations, durations, (left, right) => {
        const merged = histogramOf(right);
        mergeInto(merged, histogramOf(left));
        expect(encodeHistogram(merged)).toEqual(encodeHistogram(histogramOf([...left, ...right])));
      }),
    );
  });

  it('comes back from its bytes, and bytes laid end to end add up', () => {
    fc.assert(
      fc.property(fc.array(durations, { minLength: 1, maxLength: 5 }), (parts) => {
        const decoded = emptyHistogram();
        mergeEncoded(decoded, Buffer.concat(parts.map((part) => encodeHistogram(histogramOf(part)))));
        expect(encodeHistogram(decoded)).toEqual(encodeHistogram(histogramOf(parts.flat())));
      }),
    );
  });

  it('takes four bytes for one value and has no value when empty', () => {
    expect(encodeHistogram(histogramOf([28.417])).length).toBe(4);
    expect(encodeHistogram(emptyHistogram()).length).toBe(0);
    expect(quantile(emptyHistogram(), 0.5)).toBeNull();
    expect(mean(emptyHistogram())).toBeNull();
  });

  it('refuses bytes that are cut short', () => {
    const bytes = encodeHistogram(histogramOf([1, 2, 3]));
    expect(() => mergeEncoded(emptyHistogram(), bytes.subarray(0, -1))).toThrow(RangeError);
  });
});
