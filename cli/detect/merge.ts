import type { SeriesSample } from '#analysis/detection/sample.ts';
import type { Columns } from './columns.ts';

/** All samples of one instant; `index` is that of the list of series. */
export type Instant = { timestamp: number; samples: SeriesSample[] };

/** Merges series by time: a binary heap of the series' next samples, the earliest on top, then the first in the list. */
export function* byTime(all: readonly Columns[]): Generator<Instant> {
  const next = new Uint32Array(all.length);
  const timeOf = (index: number) => (all[index] as Columns).timestampAt(next[index] as number);
  const isBefore = (a: number, b: number) => timeOf(a) < timeOf(b) || (timeOf(a) === timeOf(b) && a < b);
  const heap = all.flatMap((columns, index) => (columns.length > 0 ? [index] : []));
  for (let at = (heap.length >> 1) - 1; at >= 0; at--) sink(heap, at, isBefore);
  let instant: Instant | null = null;
  while (heap.length > 0) {
    const index = heap[0] as number;
    const columns = all[index] as Columns;
    const sample = columns.sampleAt(next[index] as number);
    next[index] = (next[index] as number) + 1;
    if ((next[index] as number) === columns.length) dropTop(heap);
    sink(heap, 0, isBefore);
    if (instant && instant.timestamp === sample.timestamp) {
      instant.samples.push({ index, sample });
      continue;
    }
    if (instant) yield instant;
    instant = { timestamp: sample.timestamp, samples: [{ index, sample }] };
  }
  if (instant) yield instant;
}

function dropTop(heap: number[]): void {
  const last = heap.pop() as number;
  if (heap.length > 0) heap[0] = last;
}

function sink(heap: number[], from: number, isBefore: (a: number, b: number) => boolean): void {
  let at = from;
  for (;;) {
    let least = at;
    for (const child of [2 * at + 1, 2 * at + 2]) {
      if (child < heap.length && isBefore(heap[child] as number, heap[least] as number)) least = child;
    }
    if (least === at) return;
    [heap[at], heap[least]] = [heap[least] as number, heap[at] as number];
    at = least;
  }
}
