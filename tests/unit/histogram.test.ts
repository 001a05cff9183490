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

  it('gives every quantile between 0.1 ms and 60 s within 1%, whether values are spread or crowd a bin', () => {
    const anywhere = fc.integer({ min: 100, max: 60_000_000 });
    const crowded = anywhere.chain((us) => fc.integer({ min: us, max: Math.ceil(us * 1.03) }));
    const many = fc.oneof(fc.array(anywhere, { minLength: 1 }), fc.array(crowded, { minLength: 1, maxLength: 400 }));
    fc.assert(
      fc.property(
        fc.array(many, { minLength: 1, maxLength: 4 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (parts, q) => {
          const values = parts.flat().map((us) => us / 1_000);
          const decoded = emptyHistogram();
          mergeEncoded(
            decoded,
            Buffer.concat(parts.map((part) => encodeHistogram(histogramOf(part.map((us) => us / 1_000))))),
          );
          const exact = exactQuantile(values, q);
          expect(Math.abs((quantile(decoded, q) ?? Number.NaN) - exact)).toBeLessThanOrEqual(exact * 0.01);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('gives quantiles that move with their values, and not from bin to bin', () => {
    const at = (level: number) =>
      quantile(histogramOf(Array.from({ length: 1_000 }, (_, n) => level * (0.9 + (0.2 * n) / 999))), 0.5) ??
      Number.NaN;
    for (let level = 30; level < 32; level += 0.01) expect(Math.abs(at(level) / level - 1)).toBeLessThan(0.001);
  });

  it('grows with q', () => {
    fc.assert(
      fc.property(
        durations,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (values, a, b) => {
          const histogram = histogramOf(values);
          const [low, high] = [quantile(histogram, Math.min(a, b)), quantile(histogram, Math.max(a, b))];
          expect(low ?? Number.NaN).toBeLessThanOrEqual(high ?? Number.NaN);
        },
      ),
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
