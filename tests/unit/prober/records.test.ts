import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut, lineOf, toRecord } from '#workers/prober/records.ts';

const result = fc.record({ id: fc.uuid(), text: fc.string({ unit: 'grapheme', maxLength: 60 }), ms: fc.double() });
const lines = fc.array(
  result.map((value) => JSON.stringify(value)),
  { minLength: 1, maxLength: 20 },
);
const written = (all: string[]) => Buffer.concat(all.map(toRecord));
const readAll = (bytes: Buffer) => cut(bytes, 0, Number.POSITIVE_INFINITY);

/** What is left of `all` when some are lost: in order, and none that is not among them. */
function expectLeftOver(left: string[], all: string[]): void {
  let from = 0;
  for (const line of left) {
    const at = all.indexOf(line, from);
    expect(at).toBeGreaterThanOrEqual(from);
    from = at + 1;
  }
}

describe('records', () => {
  it('come back as they were written, in batches of any size', async () => {
    const property = fc.asyncProperty(lines, fc.integer({ min: 1, max: 7 }), async (all, max) => {
      const bytes = written(all);
      const back: string[] = [];
      for (let at = 0; at < bytes.length; ) {
        const { lines: some, end, torn } = await cut(bytes, at, max);
        expect(torn).toBe(0);
        back.push(...some);
        at = end;
      }
      expect(back).toEqual(all);
      expect(all.map((line) => lineOf(toRecord(line)))).toEqual(all);
    });
    await fc.assert(property);
  });

  it('are readable for people: zstd -dc FILE | tr -d "\\036" shows the checksum and the JSON', () => {
    expect(toRecord('{"n":1}').toString()).toBe('\x1ed44b3b7e {"n":1}\n');
  });

  it('cost one result and no neighbour for a flipped bit, wherever it is', async () => {
    const property = fc.asyncProperty(lines, fc.nat(), fc.nat({ max: 7 }), async (all, place, bit) => {
      const bytes = written(all);
      const at = place % bytes.length;
      bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
      const { lines: left, torn, end } = await readAll(bytes);
      expectLeftOver(left, all);
      expect(left.length).toBeGreaterThanOrEqual(all.length - 1);
      expect(torn).toBeGreaterThanOrEqual(all.length - left.length);
      expect(end).toBe(bytes.length);
    });
    await fc.assert(property, { numRuns: 1_000 });
  });

  it('cost the last one when they are cut short, at any byte', async () => {
    const property = fc.asyncProperty(lines, fc.nat(), async (all, place) => {
      const bytes = written(all);
      const length = place % bytes.length;
      const whole = all.filter((_, index) => written(all.slice(0, index + 1)).length <= length);
      const { lines: left, torn } = await readAll(bytes.subarray(0, length));
      expect(left).toEqual(whole);
      expect(torn).toBe(written(whole).length < length ? 1 : 0);
    });
    await fc.assert(property);
  });

  it('are found again behind bytes of any kind, and none is made up of these', async () => {
    const bytes = fc.uint8Array({ maxLength: 400 }).map((array) => Buffer.from(array));
    const property = fc.asyncProperty(lines, bytes, bytes, async (all, before, after) => {
      const { lines: left, end } = await readAll(Buffer.concat([before, written(all), after]));
      expect(left).toEqual(all);
      expect(end).toBe(before.length + written(all).length + after.length);
    });
    await fc.assert(property, { numRuns: 500 });
  });

  it('are never made up of random bytes, with or without the format’s own signs, nor is anything thrown', async () => {
    const signs = fc.constantFrom(0x1e, 0x0a, 0x20, 0x30, 0x66, 0x7b, 0x7d);
    const bytes = fc.array(fc.oneof(signs, fc.nat({ max: 255 })), { maxLength: 600 });
    const property = fc.asyncProperty(bytes, fc.nat(), async (array, place) => {
      const data = Buffer.from(array);
      const start = place % (data.length + 1);
      expect((await cut(data, start, 1_000)).lines).toEqual([]);
    });
    await fc.assert(property, { numRuns: 2_000 });
  });
});
