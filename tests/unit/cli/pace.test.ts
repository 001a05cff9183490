import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LATE_MS, Pace } from '#cli/probe/pace.ts';

it('keeps the pace on a grid, so that small delays do not add up', () => {
  const pace = new Pace(10, 100);
  for (const now of [100.8, 111, 120.2, 130.9]) {
    expect(pace.waitMs(now)).toBeLessThanOrEqual(0);
    pace.started(now);
  }
  expect(pace.waitMs(130.9)).toBeCloseTo(9.1);
  expect(pace.late).toBe(0);
});

it('tells late starts and does not make up for them', () => {
  const pace = new Pace(10, 0);
  pace.started(0);
  pace.started(510);
  expect(pace).toMatchObject({ late: 1, latestMs: 500 });
  expect(pace.waitMs(510)).toBe(10);
});

it('never lets more starts through than the pace and one lateness allow, whatever happens', () => {
  const stalls = fc.array(fc.double({ min: 0, max: 400, noNaN: true }), { maxLength: 200 });
  fc.assert(
    fc.property(fc.double({ min: 0.5, max: 50, noNaN: true }), stalls, (everyMs, waits) => {
      const pace = new Pace(everyMs, 0);
      const starts: number[] = [];
      let now = 0;
      for (const wait of waits) {
        now += Math.max(pace.waitMs(now), 0);
        starts.push(now);
        pace.started(now);
        now += wait;
      }
      for (const [index, at] of starts.entries()) {
        const within = starts.slice(index).filter((later) => later < at + 100).length;
        expect(within).toBeLessThanOrEqual((100 + LATE_MS) / everyMs + 1.001);
      }
    }),
  );
});

it('has nothing to keep without a pace', () => {
  const pace = new Pace(0, 0);
  pace.started(1_000);
  expect(pace.waitMs(1_000)).toBeLessThanOrEqual(0);
  expect(pace.late).toBe(0);
});
