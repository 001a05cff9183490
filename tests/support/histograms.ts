import { addThousandths, emptyHistogram, type Histogram } from '#analysis/histogram.ts';
import { mergeNext, writeHistogram } from '#analysis/histogram-codec.ts';
import { VarintReader, VarintWriter } from '#analysis/varint.ts';

/** The histogram of these values (ms). */
export function histogramOf(milliseconds: number[]): Histogram {
  const histogram = emptyHistogram();
  for (const ms of milliseconds) addThousandths(histogram, Math.round(ms * 1_000));
  return histogram;
}

/** Its bytes alone; an empty one has none. */
export function encodeHistogram(histogram: Histogram): Buffer {
  const writer = new VarintWriter();
  if (histogram.count > 0) writeHistogram(writer, histogram);
  return writer.take();
}

/** Adds every histogram in `bytes` to `histogram`. */
export function mergeEncoded(histogram: Histogram, bytes: Uint8Array): void {
  const reader = new VarintReader(bytes);
  while (!reader.done) mergeNext(histogram, reader);
}
