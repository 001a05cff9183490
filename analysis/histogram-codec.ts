import { addToBin, binOf, type Histogram, LOWEST_BIN, widen } from './histogram.ts';
import type { VarintReader, VarintWriter } from './varint.ts';

// A histogram as bytes. Self-delimiting: encoded histograms laid end to end are their sum, so that PostgreSQL merges
// with string_agg and one pass here adds them up. All numbers are LEB128 varints.
//   count, then for count = 1: the value; else: sum, min, max, number of bins, and for each its distance from the bin
//   before (the first from LOWEST_BIN) and its count.

/** Appends a histogram of at least one value. */
export function writeHistogram(writer: VarintWriter, { count, sum, min, max, first, bins }: Histogram): void {
  if (count === 1) {
    writeSingle(writer, min);
    return;
  }
  for (const value of [count, sum, min, max]) writer.write(value);
  writer.write(bins.reduce((used, each) => used + (each > 0 ? 1 : 0), 0));
  let previous = LOWEST_BIN;
  bins.forEach((each, index) => {
    if (each === 0) return;
    writer.write(first + index - previous);
    writer.write(each);
    previous = first + index;
  });
}

/** Appends the histogram of one value, in thousandths. */
export function writeSingle(writer: VarintWriter, thousandths: number): void {
  writer.write(1);
  writer.write(thousandths);
}

/** Reads one histogram and adds it to `histogram`, or to none (null). Throws a RangeError for bytes that are not ours. */
export function mergeNext(histogram: Histogram | null, reader: VarintReader): void {
  const count = reader.read();
  const sum = reader.read();
  if (count === 0) throw new RangeError('an encoded histogram is empty');
  if (count === 1) {
    addSingle(histogram, sum);
    return;
  }
  const min = reader.read();
  const max = reader.read();
  if (histogram) {
    widen(histogram, min, max);
    histogram.count += count;
    histogram.sum += sum;
  }
  let bin = LOWEST_BIN;
  for (let left = reader.read(); left > 0; left--) {
    bin += reader.read();
    const more = reader.read();
    if (histogram) addToBin(histogram, bin, more);
  }
}

function addSingle(histogram: Histogram | null, value: number): void {
  if (!histogram) return;
  widen(histogram, value, value);
  histogram.count += 1;
  histogram.sum += value;
  addToBin(histogram, binOf(value), 1);
}
