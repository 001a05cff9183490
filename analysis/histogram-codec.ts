import { addToBin, binOf, type Histogram, makeBins, widen } from './histogram.ts';
import type { VarintReader, VarintWriter } from './varint.ts';

// A histogram as bytes. Self-delimiting: encoded histograms laid end to end are their sum, so that PostgreSQL merges
// with string_agg and one pass here adds them up. All numbers are LEB128 varints.
//   count, then for count = 1: the value; else: sum, min, max, how many bins are used beyond that of min, and each of
//   these: 2 * its count where it directly follows the last used bin, else 2 * the distance + 1 and its count.
// What the bins leave of `count` is in the bin of min.

/** Appends a histogram of at least one value. */
export function writeHistogram(writer: VarintWriter, { count, sum, min, max, first, bins }: Histogram): void {
  if (count === 1) {
    writeSingle(writer, min);
    return;
  }
  for (const value of [count, sum, min, max]) writer.write(value);
  let previous = binOf(min);
  const begin = previous + 1 - first;
  let used = 0;
  for (let index = begin; index < bins.length; index++) if (bins[index] !== 0) used += 1;
  writer.write(used);
  for (let index = begin; index < bins.length; index++) {
    const each = bins[index] as number;
    if (each === 0) continue;
    const distance = first + index - previous;
    if (distance === 1) writer.write(each * 2);
    else {
      writer.write(distance * 2 + 1);
      writer.write(each);
    }
    previous = first + index;
  }
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
  mergeBins(histogram, reader, count, min, max);
}

function addSingle(histogram: Histogram | null, value: number): void {
  if (!histogram) return;
  widen(histogram, value, value);
  histogram.count += 1;
  histogram.sum += value;
  addToBin(histogram, binOf(value), 1);
}

function mergeBins(histogram: Histogram | null, reader: VarintReader, count: number, min: number, max: number): void {
  const [lowest, highest] = [binOf(min), binOf(max)];
  if (histogram) makeBins(histogram, lowest, highest);
  const bins = histogram?.bins ?? null;
  const first = histogram?.first ?? 0;
  let bin = lowest;
  let inLowest = count;
  for (let left = reader.read(); left > 0; left--) {
    const head = reader.read();
    const isNext = head % 2 === 0;
    bin += isNext ? 1 : (head - 1) / 2;
    const more = isNext ? head / 2 : reader.read();
    inLowest -= more;
    if (bin > highest) throw new RangeError('an encoded histogram has a bin beyond its largest value');
    if (bins) bins[bin - first] = (bins[bin - first] as number) + more;
  }
  if (inLowest < 1) throw new RangeError('an encoded histogram has more in its bins than in all');
  if (bins) bins[lowest - first] = (bins[lowest - first] as number) + inLowest;
}
