import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Admission, BUSY_SHARE, LEAST_GAP_MS, WINDOW_MS } from '#probe/load/admission.ts';

/** Plays a loop in which a start costs `startMs` at once and `answerMs` a round trip later; returns when starts came. */
function play(costs: { startMs: number; answerMs: number; roundTripMs: number }, untilMs: number): number[] {
  const admission = new Admission();
  const answers: number[] = [];
  const starts: number[] = [];
  let busy = 0;
  let now = 0;
  const work = (ms: number) => {
    busy += ms;
    now += ms;
  };
  while (now < untilMs) {
    while ((answers[0] ?? Number.POSITIVE_INFINITY) <= now) {
      answers.shift();
      work(costs.answerMs);
    }
    const waitMs = admission.waitMs(now, busy);
    if (waitMs > 0) {
      now = Math.min(now + Math.max(LEAST_GAP_MS, waitMs), Math.max(now, answers[0] ?? Number.POSITIVE_INFINITY));
      continue;
    }
    admission.started(now);
    starts.push(now);
    answers.push(now + costs.roundTripMs);
    work(costs.startMs);
  }
  return starts;
}

describe('the admission of starts', () => {
  it('lets one probe start at a time', () => {
    const admission = new Admission();
    expect(admission.waitMs(100, 0)).toBe(0);
    admission.started(100);
    expect(admission.waitMs(100, 0)).toBe(LEAST_GAP_MS);
    expect(admission.waitMs(100.4, 0)).toBeCloseTo(0.6);
    expect(admission.waitMs(101, 0)).toBe(0);
  });

  it('holds starts back while the loop has no time to spare, and goes on when it has', () => {
    const admission = new Admission();
    admission.waitMs(0, 0);
    expect(admission.waitMs(20, 20)).toBeGreaterThan(0);
    expect(admission.waitMs(20 + WINDOW_MS, 20)).toBe(0);
  });

  it('waits after a stall until the loop has caught up', () => {
    const admission = new Admission();
    admission.waitMs(0, 0);
    admission.waitMs(10, 1);
    expect(admission.waitMs(2_010, 2_001)).toBeGreaterThan(0);
    expect(admission.waitMs(2_020, 2_003)).toBeGreaterThan(0);
    expect(admission.waitMs(2_040, 2_004)).toBe(0);
  });

  it('reaches about the rate that the probes leave room for, and never bunches', () => {
    const arbitrary = fc.record({
      startMs: fc.double({ min: 0.1, max: 1, noNaN: true }),
      answerMs: fc.double({ min: 0.3, max: 3, noNaN: true }),
      roundTripMs: fc.double({ min: 1, max: 60, noNaN: true }),
    });
    fc.assert(
      fc.property(arbitrary, (costs) => {
        const seconds = 5;
        const starts = play(costs, seconds * 1_000);
        const most = Math.min(1_000 / LEAST_GAP_MS, 1_000 / (costs.startMs + costs.answerMs));
        expect(starts.length / seconds).toBeLessThanOrEqual(most);
        expect(starts.length / seconds).toBeGreaterThan(0.5 * BUSY_SHARE * most);
        const gaps = starts.slice(1).map((at, index) => at - (starts[index] ?? 0));
        expect(Math.min(...gaps)).toBeGreaterThanOrEqual(LEAST_GAP_MS - 1e-6);
      }),
      { numRuns: 50 },
    );
  });
});
