import { describe, expect, it } from 'vitest';
import {
  type AffectedSeries,
  type Level,
  type UnaffectedSeries,
  withoutIncident,
} from '#analysis/incident/counterfactual.ts';

const level = (ms: number, results = 30): Level => ({ ms, results });
const own = (beforeMs: number, nowMs: number, shape: number | null = null, results = 30): AffectedSeries => {
  return { beforeMs, now: level(nowMs, results), shape };
};
const other = (beforeMs: number, nowMs: number, shape: number | null = null): UnaffectedSeries => {
  return { before: level(beforeMs), now: level(nowMs), shape };
};

describe('what a series would be without the incident', () => {
  it('is its level before where nothing else is known', () => {
    expect(withoutIncident([own(38, 61)], [])).toEqual({ withoutMs: 38, nowMs: 61, series: 1, siblings: 0 });
  });

  it('follows its own usual day: an evening that is a fifth slower', () => {
    const found = withoutIncident([own(40, 71, 1.2)], []);
    expect(found?.withoutMs).toBeCloseTo(48, 9);
    expect(found?.nowMs).toBe(71);
  });

  it('follows what unaffected series did beyond their own usual day, by their median', () => {
    // Beyond a usual fifth: by a tenth, by a tenth, not at all, and one that is odd.
    const others = [other(100, 132, 1.2), other(10, 13.2, 1.2), other(20, 24, 1.2), other(30, 360, 1.2)];
    const found = withoutIncident([own(40, 80, 1.2)], others);
    // 40 x 1.2 x the median of 1, 1.1, 1.1 and 10.
    expect(found?.withoutMs).toBeCloseTo(52.8, 9);
    expect(found?.siblings).toBe(4);
  });

  it('follows what they did as such where its own usual day is not known', () => {
    const evening = other(10, 12, 1.2);
    const found = withoutIncident([own(40, 80)], [evening, evening, evening]);
    expect(found).toMatchObject({ withoutMs: 48, siblings: 3 });
  });

  it('is not compared with what has no known usual day where it has one, nor with two, nor with what has few results', () => {
    const unknown = other(10, 20);
    expect(withoutIncident([own(40, 80, 1)], [unknown, unknown, unknown])).toMatchObject({
      withoutMs: 40,
      siblings: 0,
    });
    expect(withoutIncident([own(40, 80)], [unknown, unknown])).toMatchObject({ withoutMs: 40, siblings: 0 });
    const few = { ...unknown, before: level(10, 4) };
    expect(withoutIncident([own(40, 80)], [unknown, unknown, few])).toMatchObject({ withoutMs: 40, siblings: 0 });
  });
});

describe('what an incident would be without itself', () => {
  it('is the median over its series, and so is what they are now', () => {
    const found = withoutIncident([own(30, 50), own(40, 90), own(90, 100)], []);
    expect(found).toEqual({ withoutMs: 40, nowMs: 90, series: 3, siblings: 0 });
  });

  it('leaves out series with fewer than five results, and is not known where these are most', () => {
    const [few, enough] = [own(30, 50, null, 4), own(40, 70, null, 5)];
    expect(withoutIncident([], [])).toBeNull();
    expect(withoutIncident([few, few, enough], [])).toBeNull();
    expect(withoutIncident([few, enough], [])).toEqual({ withoutMs: 40, nowMs: 70, series: 1, siblings: 0 });
  });
});
