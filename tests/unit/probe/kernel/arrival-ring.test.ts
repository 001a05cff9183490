import { expect, test } from 'vitest';
import { ArrivalRing } from '#probe/kernel/arrival-ring.ts';

function drained(ring: ArrivalRing): number[][] {
  const entries: number[][] = [];
  ring.drain((...entry) => entries.push(entry));
  return entries;
}

test('what one side writes the other reads, once and in order', () => {
  const reader = new ArrivalRing();
  const writer = new ArrivalRing(reader.memory);
  writer.write(1, 10.5, 100, 1, 0);
  writer.write(2, 11, 200, 3, 1.5);
  expect(drained(reader)).toEqual([
    [1, 10.5, 100, 1, 0],
    [2, 11, 200, 3, 1.5],
  ]);
  expect(drained(reader)).toEqual([]);
});

test('a reader that falls behind loses the oldest entries and none of the newest', () => {
  const ring = new ArrivalRing();
  for (let count = 1; count <= 100_000; count += 1) ring.write(count, count, count, count, 0);
  const entries = drained(ring);
  expect(entries.at(-1)).toEqual([100_000, 100_000, 100_000, 100_000, 0]);
  expect(entries.length).toBe(16_384);
  expect(entries[0]?.[0]).toBe(100_000 - 16_384 + 1);
});

test('the writer hears that it is to stop', () => {
  const reader = new ArrivalRing();
  const writer = new ArrivalRing(reader.memory);
  expect(writer.stopped).toBe(false);
  reader.stop();
  expect(writer.stopped).toBe(true);
});
