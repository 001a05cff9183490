import { describe, expect, it } from 'vitest';
import { type AffectedSeries, type Level, type Movement, withoutIncident } from '#analysis/incident/counterfactual.ts';

const level = (ms: number, usual: number | null = null, results = 30): Level => ({ ms, results, usual });
const moved = (before: Level, now: Level): Movement => ({ before, now });
const siblings = (...all: Movement[]) => new Map(all.map((each, index) => [`sibling ${index}`, each]));
const series = (before: Level, now: Level, ...tiers: AffectedSeries['siblings']): AffectedSeries => ({
  before,
  now,
  siblings: tiers,
});

describe('what a series would be without the incident', () => {
  it('is its level before where nothing else is known', () => {
    expect(withoutIncident([series(level(38), level(61))])).toEqual({
      withoutMs: 38,
      nowMs: 61,
      series: 1,
      siblings: 0,
    });
  });

  it('follows its own usual day: an evening that is a fifth slower', () => {
    const found = withoutIncident([series(level(40, 50), level(71, 60))]);
    expect(found?.withoutMs).toBeCloseTo(48, 9);
    expect(found?.nowMs).toBe(71);
  });

  it('follows what siblings did beyond their own usual day, by their median', () => {
    const usual = moved(level(20, 20), level(24, 24));
    const found = withoutIncident([
      series(
        level(40, 50),
        level(80, 60),
        // Beyond a usual fifth: by a tenth, by a tenth, not at all, and one that is odd.
        siblings(
          moved(level(100, 100), level(132, 120)),
          moved(level(10, 20), level(13.2, 24)),
          usual,
          moved(level(30, 30), level(360, 36)),
        ),
      ),
    ]);
    // 40 x 1.2 x the median of 1, 1.1, 1.1 and 10.
    expect(found?.withoutMs).toBeCloseTo(52.8, 9);
    expect(found?.siblings).toBe(4);
  });

  it('follows what siblings did as such where its own usual day is not known', () => {
    const evening = moved(level(10, 10), level(12, 12));
    const found = withoutIncident([series(level(40), level(80, 60), siblings(evening, evening, evening))]);
    expect(found).toMatchObject({ withoutMs: 48, siblings: 3 });
  });

  it('compares no sibling whose usual day is not known with one that has one', () => {
    const unknown = moved(level(10), level(20));
    const found = withoutIncident([series(level(40, 40), level(80, 40), siblings(unknown, unknown, unknown))]);
    expect(found).toMatchObject({ withoutMs: 40, siblings: 0 });
  });

  it('says nothing of two siblings, and takes farther ones where the nearest are too few', () => {
    const [near, far] = [moved(level(10), level(20)), moved(level(10), level(11))];
    expect(withoutIncident([series(level(40), level(80), siblings(near, near))])).toMatchObject({
      withoutMs: 40,
      siblings: 0,
    });
    const found = withoutIncident([series(level(40), level(80), siblings(near, near), siblings(far, far, far))]);
    expect(found?.withoutMs).toBeCloseTo(44, 9);
    expect(found?.siblings).toBe(3);
  });
});

describe('what an incident would be without itself', () => {
  it('is the median over its series, and so is what they are now', () => {
    const all = [series(level(30), level(50)), series(level(40), level(90)), series(level(90), level(100))];
    expect(withoutIncident(all)).toEqual({ withoutMs: 40, nowMs: 90, series: 3, siblings: 0 });
  });

  it('leaves out series with fewer than five results on either side, and is not known where these are most', () => {
    const [early, late] = [series(level(30, null, 4), level(50)), series(level(30), level(50, null, 4))];
    const enough = series(level(40, null, 5), level(70, null, 5));
    expect(withoutIncident([early])).toBeNull();
    expect(withoutIncident([])).toBeNull();
    expect(withoutIncident([early, late, enough])).toBeNull();
    expect(withoutIncident([early, late, enough, enough])).toEqual({
      withoutMs: 40,
      nowMs: 70,
      series: 2,
      siblings: 0,
    });
  });

  it('does not count a sibling with too few results, and counts each once', () => {
    const [known, few] = [moved(level(10), level(11)), moved(level(10), level(90, null, 4))];
    const shared = siblings(known, few, known, known);
    const all = [series(level(40), level(80), shared), series(level(40), level(80), shared)];
    const found = withoutIncident(all);
    expect(found?.withoutMs).toBeCloseTo(44, 9);
    expect(found).toMatchObject({ series: 2, siblings: 3 });
  });
});
