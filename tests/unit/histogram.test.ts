import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyHistogram, mean, mergeInto, quantile } from '#analysis/histogram.ts';
import { VarintWriter } from '#analysis/varint.ts';
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

describe('a histogram of the former kind, with bins twice as wide', () => {
  // Written by the version of 2026-11-21.
  it.each([
    ['05d8ed0ff0dd01e0c50804850401010104024c01', [28.4, 28.9, 31.2, 31.3, 140]],
    ['0390bf05b0ea01b0ea0101880403', [30, 30, 30]],
    ['04838ece1c00808ece1c0300022301e50601', [0, 0.001, 0.002, 60_000]],
  ])('%s is read', (hex, values) => {
    const decoded = emptyHistogram();
    mergeEncoded(decoded, Buffer.from(hex, 'hex'));
    expect([decoded.count, mean(decoded), quantile(decoded, 0), quantile(decoded, 1)]).toEqual([
      values.length,
      mean(histogramOf(values)),
      Math.min(...values),
      Math.max(...values),
    ]);
    for (const q of [0.25, 0.5, 0.75]) {
      const exact = exactQuantile(values, q);
      expect(Math.abs((quantile(decoded, q) ?? Number.NaN) - exact)).toBeLessThanOrEqual(exact * 0.02 + 0.001);
    }
  });

  it('gives every quantile within 2%, also beside those of today and written anew', () => {
    fc.assert(
      fc.property(durations, durations, fc.double({ min: 0, max: 1, noNaN: true }), (former, today, q) => {
        const merged = emptyHistogram();
        mergeEncoded(merged, Buffer.concat([encodeFormer(former), encodeHistogram(histogramOf(today))]));
        const again = emptyHistogram();
        mergeEncoded(again, encodeHistogram(merged));
        const exact = exactQuantile([...former, ...today], q);
        expect(quantile(again, q)).toBe(quantile(merged, q));
        expect(Math.abs((quantile(merged, q) ?? Number.NaN) - exact)).toBeLessThanOrEqual(exact * 0.02 + 0.001);
      }),
      { numRuns: 300 },
    );
  });
});

/** As it was written before: bins in (1.02^(i-1), 1.02^i] ms from -348 on, each with its distance from the one before and its count. */
function encodeFormer(milliseconds: readonly number[]): Buffer {
  const values = milliseconds.map((ms) => Math.round(ms * 1_000));
  const writer = new VarintWriter();
  writer.write(values.length);
  writer.write(values.reduce((sum, value) => sum + value, 0));
  if (values.length === 1) return writer.take();
  writer.write(Math.min(...values));
  writer.write(Math.max(...values));
  const formerBin = (us: number) => (us <= 1 ? -348 : Math.ceil(Math.log(us / 1_000) / Math.log(1.02)));
  const bins = [...Map.groupBy(values, formerBin)].sort(([a], [b]) => a - b);
  writer.write(bins.length);
  let previous = -348;
  for (const [bin, { length }] of bins) {
    writer.write(bin - previous);
    writer.write(length);
    previous = bin;
  }
  return writer.take();
}
