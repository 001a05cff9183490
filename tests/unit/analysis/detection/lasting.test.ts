import { describe, expect, it } from 'vitest';
import { type Conditions, DAY, detect, HOUR, MONDAY } from './scene.ts';

const changesIn = (days: number, conditions: (timestamp: number) => Conditions) =>
  detect({ days, period: 600, noise: 0.005, conditions }).filter(({ kind }) => kind !== 'spike');

describe('a small lasting change', () => {
  it('of five per cent is found on a quiet series, within a day, and one of three is not', () => {
    const at = MONDAY + 4 * DAY + 10 * HOUR;
    // 50 ms of round trip and 5 ms of work: 5.6% more of the one are 5% of both.
    const [found, ...others] = changesIn(6, (time) => ({ path: time >= at ? 1.056 : 1 }));
    expect(others).toEqual([]);
    expect(found).toMatchObject({ kind: 'regression' });
    expect(Math.abs((found?.changeAt ?? 0) - at)).toBeLessThanOrEqual(HOUR);
    expect((found?.at ?? 0) - at).toBeLessThanOrEqual(DAY);
    expect(changesIn(6, (time) => ({ path: time >= at ? 1.033 : 1 }))).toEqual([]);
  });

  it('is found soon after another one: what the series was like before that tells how it wanders', () => {
    const first = MONDAY + 8 * DAY + 10 * HOUR;
    const second = first + 26 * HOUR;
    const found = changesIn(11, (time) => ({ path: time >= second ? 1.3 * 1.056 : time >= first ? 1.3 : 1 }));
    expect(found.map(({ kind }) => kind)).toEqual(['regression', 'regression']);
    expect((found[1]?.at ?? 0) - second).toBeLessThanOrEqual(DAY);
  });

  it('is none on a series that wanders by as much', () => {
    const level = (time: number) => 1 + 0.04 * Math.sin((2 * Math.PI * (time - MONDAY)) / (44 * HOUR));
    expect(changesIn(8, (time) => ({ path: level(time) }))).toEqual([]);
  });
});

describe('a rise that silence follows', () => {
  it('is no lasting change after two and a half hours, which is all that was seen of it', () => {
    const rise = MONDAY + 4 * DAY + 10 * HOUR;
    const silence = rise + 2.5 * HOUR;
    const found = changesIn(6, (time) => {
      if (time < rise || time >= silence + 4 * HOUR) return {};
      return time < silence ? { path: 1.15 } : { fails: true };
    });
    expect(found).toEqual([]);
  });
});

describe('a lasting change after a spike', () => {
  it('did not begin in the spike, which was over, but an hour later', () => {
    const spike = MONDAY + 4 * DAY + 10 * HOUR;
    const change = spike + 3 * HOUR;
    const [found, ...others] = changesIn(6, (time) => ({
      path: time >= change ? 1.12 : time >= spike && time < spike + 2 * HOUR ? 1.8 : 1,
    }));
    expect(others).toEqual([]);
    expect(Math.abs((found?.changeAt ?? 0) - change)).toBeLessThanOrEqual(600);
  });

  it('that begins as the spike ends, or hides in it, is dated to its end', () => {
    const spike = MONDAY + 4 * DAY + 10 * HOUR;
    const [found, ...others] = changesIn(6, (time) => ({
      path: time < spike ? 1 : time < spike + 2 * HOUR ? 1.8 : 1.12,
    }));
    expect(others).toEqual([]);
    expect(Math.abs((found?.changeAt ?? 0) - (spike + 2 * HOUR))).toBeLessThanOrEqual(900);
  });
});
