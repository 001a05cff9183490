import { addToBin, binOf, type Histogram, LOWEST_BIN, widen } from './histogram.ts';

// A histogram as bytes. Self-delimiting: encoded histograms laid end to end are their sum, so that PostgreSQL merges
// with string_agg and one pass here adds them up. All numbers are LEB128 varints.
//   count, then for count = 1: the value; else: sum, min, max, number of bins, and for each its distance from the bin
//   before (the first from LOWEST_BIN) and its count.

const scratch = new Uint8Array(32_768);

/** The bytes of a histogram; an empty one has none. */
export function encodeHistogram(histogram: Histogram): Buffer {
  if (histogram.count === 0) return Buffer.alloc(0);
  let at = write(0, histogram.count);
  at = write(at, histogram.count === 1 ? histogram.min : histogram.sum);
  if (histogram.count > 1) at = writeRest(at, histogram);
  return Buffer.from(scratch.subarray(0, at));
}

/** Writes the histogram of one value, in thousandths, into `bytes` from `at` on; returns where it ends. At most 9 bytes. */
export function encodeSingle(bytes: Uint8Array, at: number, thousandths: number): number {
  bytes[at] = 1;
  let end = at + 1;
  let rest = thousandths;
  while (rest >= 128) {
    bytes[end++] = (rest % 128) | 128;
    rest = Math.floor(rest / 128);
  }
  bytes[end++] = rest;
  return end;
}

function writeRest(start: number, { min, max, first, bins }: Histogram): number {
  let at = write(write(start, min), max);
  at = write(
    at,
    bins.reduce((used, count) => used + (count > 0 ? 1 : 0), 0),
  );
  let previous = LOWEST_BIN;
  bins.forEach((count, index) => {
    if (count === 0) return;
    at = write(write(at, first + index - previous), count);
    previous = first + index;
  });
  return at;
}

function write(start: number, value: number): number {
  let at = start;
  let rest = value;
  // Not shifts: a sum may exceed 32 bits.
  while (rest >= 128) {
    scratch[at++] = (rest % 128) | 128;
    rest = Math.floor(rest / 128);
  }
  scratch[at++] = rest;
  return at;
}

/** Adds every histogram in `bytes` to `histogram`. Throws a RangeError where the bytes are cut short or not ours. */
export function mergeEncoded(histogram: Histogram, bytes: Uint8Array): void {
  const reader: Reader = { bytes, at: 0 };
  while (reader.at < bytes.length) mergeNext(histogram, reader);
}

type Reader = { bytes: Uint8Array; at: number };

function mergeNext(histogram: Histogram, reader: Reader): void {
  const count = read(reader);
  const sum = read(reader);
  const min = count === 1 ? sum : read(reader);
  const max = count === 1 ? sum : read(reader);
  if (count === 0) throw new RangeError('an encoded histogram is empty');
  widen(histogram, min, max);
  histogram.count += count;
  histogram.sum += sum;
  if (count === 1) addToBin(histogram, binOf(sum), 1);
  else mergeBins(histogram, reader);
}

function mergeBins(histogram: Histogram, reader: Reader): void {
  let bin = LOWEST_BIN;
  for (let left = read(reader); left > 0; left--) {
    bin += read(reader);
    addToBin(histogram, bin, read(reader));
  }
}

function read(reader: Reader): number {
  let value = 0;
  let scale = 1;
  for (;;) {
    const byte = reader.bytes[reader.at++];
    if (byte === undefined) throw new RangeError('an encoded histogram is cut short');
    value += (byte & 127) * scale;
    if (byte < 128) return value;
    scale *= 128;
  }
}
