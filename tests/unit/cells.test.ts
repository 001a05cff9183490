import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addCounts,
  type Counts,
  compactCounts,
  compactHistograms,
  countsByVantage,
  emptyCounts,
  mergeHistograms,
  wholeOf,
  writeCounts,
  writeValue,
} from '#analysis/cells.ts';
import { addThousandths, emptyHistogram, type Histogram } from '#analysis/histogram.ts';
import { VarintReader, VarintWriter } from '#analysis/varint.ts';
import { encodeHistogram } from '../support/histograms.ts';

const vantages = fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 2 ** 31 - 1 }));
const values = fc.array(fc.tuple(vantages, fc.integer({ min: 0, max: 600_000_000 })), { maxLength: 60 });
const outcomes = fc.record({
  ok: fc.nat(5_000),
  failedTarget: fc.nat(3),
  failedResolver: fc.nat(3),
  failedProber: fc.nat(3),
  unclean: fc.nat(3),
});
const counts = fc
  .array(fc.tuple(vantages, outcomes), { maxLength: 40 })
  .map((cells) =>
    cells.map(([vantage, each]): [number, Counts] => [
      vantage,
      { ...each, total: each.ok + each.failedTarget + each.failedResolver + each.failedProber },
    ]),
  );

function histogramsIn(bytes: Uint8Array): Map<number, Histogram> {
  const found = new Map<number, Histogram>();
  mergeHistograms(bytes, (vantage) => {
    const histogram = found.get(vantage) ?? emptyHistogram();
    found.set(vantage, histogram);
    return histogram;
  });
  return found;
}

const shown = (histograms: Map<number, Histogram>) =>
  [...histograms].sort(([a], [b]) => a - b).map(([vantage, each]) => [vantage, encodeHistogram(each).toString('hex')]);

function encode(cells: readonly [number, number][]): Buffer {
  const writer = new VarintWriter(1);
  for (const [vantage, value] of cells) writeValue(writer, vantage, value);
  return writer.take();
}

describe('the cells of a bucket', () => {
  it('give each vantage what was written for it, in one cell or in many', () => {
    fc.assert(
      fc.property(values, (cells) => {
        const expected = new Map<number, Histogram>();
        for (const [vantage, value] of cells) {
          const histogram = expected.get(vantage) ?? emptyHistogram();
          expected.set(vantage, histogram);
          addThousandths(histogram, value);
        }
        const bytes = encode(cells);
        expect(shown(histogramsIn(bytes))).toEqual(shown(expected));
        expect(shown(histogramsIn(compactHistograms(bytes)))).toEqual(shown(expected));
      }),
    );
  });

  it('add up when they are laid end to end', () => {
    fc.assert(
      fc.property(values, values, (left, right) => {
        const joined = compactHistograms(Buffer.concat([compactHistograms(encode(left)), encode(right)]));
        expect(joined.equals(compactHistograms(encode([...right, ...left])))).toBe(true);
      }),
    );
  });

  it('have a sum over all vantages, itself a cell', () => {
    fc.assert(
      fc.property(
        values.filter(({ length }) => length > 0),
        (cells) => {
          const whole = histogramsIn(wholeOf(encode(cells)));
          const expected = emptyHistogram();
          for (const [, value] of cells) addThousandths(expected, value);
          expect(shown(whole)).toEqual([[0, encodeHistogram(expected).toString('hex')]]);
        },
      ),
    );
  });

  it('count how probes ended, and add up the same way', () => {
    fc.assert(
      fc.property(counts, (cells) => {
        const expected = new Map<number, Counts>();
        const writer = new VarintWriter(1);
        for (const [vantage, each] of cells) {
          const sum = expected.get(vantage) ?? emptyCounts();
          expected.set(vantage, sum);
          addCounts(sum, each);
          writeCounts(writer, vantage, each);
        }
        const bytes = writer.take();
        expect(countsByVantage(bytes)).toEqual(expected);
        expect(countsByVantage(compactCounts(bytes))).toEqual(expected);
      }),
    );
  });

  it('leave out vantages that nobody asks for', () => {
    const asked = emptyHistogram();
    mergeHistograms(
      encode([
        [1, 30_000],
        [2, 40_000],
        [1, 31_000],
      ]),
      (vantage) => (vantage === 2 ? asked : null),
    );
    expect([asked.count, asked.sum]).toEqual([1, 40_000]);
  });

  it('take five or six bytes for a time, and two where a vantage’s probes all succeeded', () => {
    expect(encode([[63, 30_000]])).toHaveLength(5);
    expect(encode([[93, 300_000]])).toHaveLength(6);
    const writer = new VarintWriter();
    writeCounts(writer, 63, { ...emptyCounts(), total: 60, ok: 60 });
    expect(writer.length).toBe(2);
  });

  it('read several histograms of one vantage behind their length, as the migration writes them', () => {
    const bytes = Buffer.from([2 * 7 + 1, 4, 1, 10, 1, 20, 2 * 8, 1, 30]);
    expect([...histogramsIn(bytes)].map(([vantage, { count, sum }]) => [vantage, count, sum])).toEqual([
      [7, 2, 30],
      [8, 1, 30],
    ]);
  });

  it('are an error where they are cut short', () => {
    const bytes = encode([[93, 300_000]]);
    for (let length = 1; length < bytes.length; length++)
      expect(() => histogramsIn(bytes.subarray(0, length))).toThrow(RangeError);
  });
});

describe('whole numbers', () => {
  it('come back from their bytes up to 2^53', () => {
    fc.assert(
      fc.property(fc.array(fc.maxSafeNat()), (numbers) => {
        const writer = new VarintWriter(1);
        for (const each of numbers) writer.write(each);
        const reader = new VarintReader(writer.take());
        expect(numbers.map(() => reader.read())).toEqual(numbers);
        expect(reader.done).toBe(true);
      }),
    );
  });
});
