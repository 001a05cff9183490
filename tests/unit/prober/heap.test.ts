import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Heap } from '#workers/prober/heap.ts';

it('gives its values back from the smallest key to the largest', () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), (keys) => {
      const heap = new Heap<number>();
      for (const key of keys) heap.push(key, key);
      const out = keys.map(() => heap.pop());
      expect(out).toEqual(keys.toSorted((a, b) => a - b));
      expect(heap.pop()).toBeUndefined();
      expect(heap.peek()).toBeUndefined();
    }),
  );
});
