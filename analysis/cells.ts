import { emptyHistogram, type Histogram } from './histogram.ts';
import { mergeNext, writeHistogram, writeSingle } from './histogram-codec.ts';
import { VarintReader, VarintWriter } from './varint.ts';

// The cells of one bucket of a rollup as bytes: what each vantage measured of one metric, or how its probes ended. Rows laid
// end to end are their sum, and a vantage may come more than once, so that PostgreSQL merges buckets with string_agg. All
// numbers are LEB128 varints; a cell is
//   2 * the vantage's number, then one histogram (histogram-codec.ts) or one set of counts; or
//   2 * the vantage's number + 1, the length of what follows, then any number of these.
// Counts are 2 * total + 1 where every probe succeeded and was clean; else 2 * total, and the others in the order of COUNTS.

export const COUNTS = ['total', 'ok', 'failedTarget', 'failedResolver', 'failedProber', 'unclean'] as const;
/** Of all probes, those that succeeded, those that failed by the fault of each, and those of an overloaded prober. */
export type Counts = Record<(typeof COUNTS)[number], number>;

export function emptyCounts(): Counts {
  return { total: 0, ok: 0, failedTarget: 0, failedResolver: 0, failedProber: 0, unclean: 0 };
}

export function addCounts(to: Counts, more: Counts): void {
  for (const name of COUNTS) to[name] += more[name];
}

/** Appends one value, in thousandths of its unit. */
export function writeValue(writer: VarintWriter, vantage: number, thousandths: number): void {
  writer.write(vantage * 2);
  writeSingle(writer, thousandths);
}

export function writeCounts(writer: VarintWriter, vantage: number, counts: Counts): void {
  writer.write(vantage * 2);
  const { total, ok, unclean } = counts;
  const allGood = ok === total && unclean === 0;
  writer.write(total * 2 + (allGood ? 1 : 0));
  if (!allGood) for (const name of COUNTS.slice(1)) writer.write(counts[name]);
}

/** Adds every cell to the histogram that `of` gives for its vantage; null leaves it out. Throws a RangeError for bytes that are not ours. */
export function mergeHistograms(bytes: Uint8Array, of: (vantage: number) => Histogram | null): void {
  forEachCell(bytes, (vantage, reader) => mergeNext(of(vantage), reader));
}

/** Reads the counts of every cell, of which a vantage may have several. `take` is given the same object each time, refilled. */
export function readCounts(bytes: Uint8Array, take: (vantage: number, counts: Readonly<Counts>) => void): void {
  const counts = emptyCounts();
  forEachCell(bytes, (vantage, reader) => {
    readNext(counts, reader);
    take(vantage, counts);
  });
}

function forEachCell(bytes: Uint8Array, take: (vantage: number, reader: VarintReader) => void): void {
  const reader = new VarintReader(bytes);
  while (!reader.done) {
    const head = reader.read();
    const vantage = Math.floor(head / 2);
    if (head % 2 === 0) take(vantage, reader);
    else {
      const several = new VarintReader(reader.take(reader.read()));
      while (!several.done) take(vantage, several);
    }
  }
}

function readNext(counts: Counts, reader: VarintReader): void {
  const head = reader.read();
  const isAllGood = head % 2 === 1;
  counts.total = isAllGood ? (head - 1) / 2 : head / 2;
  counts.ok = isAllGood ? counts.total : reader.read();
  counts.failedTarget = isAllGood ? 0 : reader.read();
  counts.failedResolver = isAllGood ? 0 : reader.read();
  counts.failedProber = isAllGood ? 0 : reader.read();
  counts.unclean = isAllGood ? 0 : reader.read();
}

/** The same histograms with one cell a vantage, in the order of their numbers. */
export function compactHistograms(bytes: Uint8Array): Buffer {
  const byVantage = new Map<number, Histogram>();
  mergeHistograms(bytes, (vantage) => entryOf(byVantage, vantage, emptyHistogram));
  const writer = new VarintWriter(bytes.length);
  for (const [vantage, histogram] of inOrder(byVantage)) {
    writer.write(vantage * 2);
    writeHistogram(writer, histogram);
  }
  return writer.take();
}

/** The sum over all vantages as one cell, of a vantage with the number 0, which none has. */
export function wholeOf(bytes: Uint8Array): Buffer {
  const whole = emptyHistogram();
  mergeHistograms(bytes, () => whole);
  const writer = new VarintWriter();
  writer.write(0);
  writeHistogram(writer, whole);
  return writer.take();
}

/** The same counts with one cell a vantage, in the order of their numbers. */
export function compactCounts(bytes: Uint8Array): Buffer {
  const writer = new VarintWriter(bytes.length);
  for (const [vantage, counts] of inOrder(countsByVantage(bytes))) writeCounts(writer, vantage, counts);
  return writer.take();
}

export function countsByVantage(bytes: Uint8Array): Map<number, Counts> {
  const byVantage = new Map<number, Counts>();
  readCounts(bytes, (vantage, counts) => addCounts(entryOf(byVantage, vantage, emptyCounts), counts));
  return byVantage;
}

function entryOf<Value>(map: Map<number, Value>, key: number, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

const inOrder = <Value>(map: Map<number, Value>) => [...map].sort(([a], [b]) => a - b);
