import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ArrivalLog } from '#probe/kernel/arrival-log.ts';

describe('the log of arrivals', () => {
  test('a chunk that nobody saw arrive came just now', () => {
    expect(new ArrivalLog().split(100, 5)).toEqual([{ bytes: 100, at: 5, seen: false, lateMs: 0 }]);
  });

  test('a chunk read late is split into the pieces in which it came', () => {
    const log = new ArrivalLog();
    log.add(1, 1_460, 1, 0);
    log.add(29, 2_920, 1, 0);
    expect(log.split(2_920, 31)).toEqual([
      { bytes: 1_460, at: 1, seen: true, lateMs: 0 },
      { bytes: 1_460, at: 29, seen: true, lateMs: 0 },
    ]);
  });

  test('an arrival that is read in two chunks stamps both, and what follows it unseen came now', () => {
    const log = new ArrivalLog();
    log.add(1, 1_000, 1, 0);
    expect(log.split(400, 2)).toEqual([{ bytes: 400, at: 1, seen: true, lateMs: 0 }]);
    expect(log.split(900, 7)).toEqual([
      { bytes: 600, at: 1, seen: true, lateMs: 0 },
      { bytes: 300, at: 7, seen: false, lateMs: 0 },
    ]);
  });

  test('a stamp after the reading is not believed, and one that went back neither', () => {
    const log = new ArrivalLog();
    log.add(10, 100, 1, 0);
    log.add(9, 200, 1, 0);
    log.add(9, 150, 1, 0);
    expect(log.split(200, 8)).toEqual([
      { bytes: 100, at: 8, seen: true, lateMs: 0 },
      { bytes: 100, at: 8, seen: true, lateMs: 0 },
    ]);
  });

  test('how late the first bytes may be stamped goes with their piece', () => {
    const log = new ArrivalLog();
    log.add(1, 100, 1, 0);
    log.add(5, 300, 1, 2.5);
    expect(log.split(300, 8).map(({ lateMs }) => lateMs)).toEqual([0, 2.5]);
  });

  test('no more than 512 arrivals are kept of a connection', () => {
    const log = new ArrivalLog();
    for (let count = 1; count <= 600; count += 1) log.add(count, count, 1, 0);
    expect(log.split(600, 1_000).filter(({ seen }) => seen)).toHaveLength(512);
  });

  test('whatever was seen and however it is read, the pieces are the bytes read, in time', () => {
    const steps = fc.array(fc.record({ at: fc.nat(1_000), bytes: fc.integer({ min: -5, max: 5_000 }) }), {
      maxLength: 40,
    });
    const reads = fc.array(fc.integer({ min: 1, max: 4_000 }), { maxLength: 40 });
    fc.assert(
      fc.property(steps, reads, (arrivals, lengths) => {
        const log = new ArrivalLog();
        let total = 0;
        for (const { at, bytes } of arrivals) {
          total += bytes;
          log.add(at, total, 1, 0);
        }
        let last = 0;
        lengths.forEach((length, index) => {
          const now = 2_000 + index;
          const pieces = log.split(length, now);
          expect(pieces.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(length);
          for (const { at, bytes } of pieces) {
            expect(bytes).toBeGreaterThan(0);
            expect(at).toBeLessThanOrEqual(now);
            expect(at).toBeGreaterThanOrEqual(last);
            last = at;
          }
        });
      }),
    );
  });
});
