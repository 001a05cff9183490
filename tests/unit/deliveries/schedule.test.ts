import { describe, expect, it } from 'vitest';
import { JITTER, nextAttemptAt, RETRY_SECONDS, retryAfterSeconds, slowUntil } from '#server/webhooks/outcome.ts';

const NOW = new Date('2026-11-21T08:00:00Z');
const secondsTo = (date: Date | null) => date && (date.getTime() - NOW.getTime()) / 1_000;

describe('the next attempt', () => {
  it('comes after the pauses of Standard Webhooks, and after the tenth not at all', () => {
    const pauses = Array.from({ length: 10 }, (_, n) => secondsTo(nextAttemptAt(n + 1, NOW, null, 0)));
    expect(pauses).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400, null]);
    expect(RETRY_SECONDS[0]).toBe(0);
  });

  it('is later by chance, by no more than the jitter', () => {
    expect(secondsTo(nextAttemptAt(2, NOW, null, 0.5))).toBeCloseTo(300 * (1 + JITTER / 2), 3);
    expect(secondsTo(nextAttemptAt(2, NOW, null, 1))).toBeCloseTo(300 * (1 + JITTER), 3);
  });

  it('waits for what retry-after asks, where that is later', () => {
    expect(secondsTo(nextAttemptAt(1, NOW, 60, 0))).toBe(60);
    expect(secondsTo(nextAttemptAt(2, NOW, 60, 0))).toBe(300);
  });
});

describe('retry-after', () => {
  it.each([
    ['120', 120],
    [' 7 ', 7],
    ['Sat, 21 Nov 2026 08:02:00 GMT', 120],
    ['Sat, 21 Nov 2026 07:00:00 GMT', 0],
    ['99999999999', 3_600],
    ['Sat, 21 Nov 2099 08:02:00 GMT', 3_600],
    ['soon', null],
    ['', null],
    [undefined, null],
  ])('%s is %s seconds', (header, seconds) => {
    expect(retryAfterSeconds(header, NOW)).toBe(seconds);
  });
});

describe('an endpoint', () => {
  it.each([429, 502, 504])('that answers %i is slowed down from the first, up to ten minutes', (status) => {
    const pauses = [1, 2, 3, 6, 7, 50].map((failures) => secondsTo(slowUntil(status, failures, NOW, null)));
    expect(pauses).toEqual([10, 20, 40, 320, 600, 600]);
  });

  it('that fails otherwise is spared from the third on, for a minute at most', () => {
    const pauses = [1, 2, 3, 4, 7, 50].map((failures) => secondsTo(slowUntil(null, failures, NOW, null)));
    expect(pauses).toEqual([null, null, 5, 10, 60, 60]);
  });

  it('gets nothing before its retry-after', () => {
    expect(secondsTo(slowUntil(503, 1, NOW, 90))).toBe(90);
  });
});
