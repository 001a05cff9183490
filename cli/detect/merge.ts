import type { SeriesSample } from '#analysis/detection/sample.ts';
import { Heap } from '#workers/prober/heap.ts';
import type { Columns } from './columns.ts';

/** All samples of one instant; `index` is that of the list of series. */
export type Instant = { timestamp: number; samples: SeriesSample[] };

/** More series than a file has. A second times this, and a series' index, are one number that a double holds. */
const MOST_SERIES = 2 ** 20;

/** Merges series by time: the series' next samples in a heap, the earliest on top, then the first in the list. */
export function* byTime(all: readonly Columns[]): Generator<Instant> {
  const heap = new Heap<{ columns: Columns; index: number; at: number }>();
  const keyOf = (columns: Columns, index: number, at: number) => columns.timestampAt(at) * MOST_SERIES + index;
  for (const [index, columns] of all.entries())
    if (columns.length > 0) heap.push(keyOf(columns, index, 0), { columns, index, at: 0 });
  let instant: Instant | null = null;
  for (let next = heap.pop(); next; next = heap.pop()) {
    const { columns, index, at } = next;
    const sample = columns.sampleAt(at);
    next.at += 1;
    if (next.at < columns.length) heap.push(keyOf(columns, index, next.at), next);
    if (instant && instant.timestamp === sample.timestamp) {
      instant.samples.push({ index, sample });
      continue;
    }
    if (instant) yield instant;
    instant = { timestamp: sample.timestamp, samples: [{ index, sample }] };
  }
  if (instant) yield instant;
}
