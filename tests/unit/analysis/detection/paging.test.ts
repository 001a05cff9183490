import { describe, expect, it } from 'vitest';
import type { DetectionGroup, Ungrouped } from '#analysis/detection/group.ts';
import { groupDetections } from '#analysis/detection/grouping.ts';
import { isPage } from '#analysis/detection/paging.ts';

const START = 1_767_600_000;
const MANY = 92;

const onSeries = (index: number, more: Partial<Ungrouped> = {}): Ungrouped => ({
  target: 'shop',
  vantage: `vantage ${index}`,
  country: 'CN',
  region: `region ${index}`,
  carrier: 'unicom',
  index,
  period: 60,
  kind: 'spike',
  metric: 'tls',
  cause: 'network',
  changeAt: START,
  at: START + 180,
  effect: 0.5,
  ms: 40,
  ...more,
});
const lasting = (index: number, effect: number, ms: number, more: Partial<Ungrouped> = {}) =>
  onSeries(index, { kind: effect > 0 ? 'regression' : 'improvement', at: START + 5 * 3_600, effect, ms, ...more });

/** Whether each of these, one after another, is a page. */
function pagesOf(detections: readonly Ungrouped[], others = MANY): boolean[] {
  const all: DetectionGroup[] = [];
  return detections.map((each) => {
    const [group] = groupDetections(all, [each], () => START).groups;
    return isPage(each, group as DetectionGroup, others);
  });
}

describe('a spike', () => {
  it('of one series is a note until a second joins, of two of many until a third does; where there are few it is a page', () => {
    expect(pagesOf([onSeries(1), onSeries(2), onSeries(3)])).toEqual([false, false, true]);
    expect(pagesOf([onSeries(1), onSeries(2)], 11)).toEqual([false, true]);
    expect(pagesOf([onSeries(1)], 3)).toEqual([true]);
  });

  it('of the resumed handshakes too of one line is one series alone still', () => {
    expect(
      pagesOf([onSeries(1), onSeries(2, { vantage: 'vantage 1', region: 'region 1', variant: 'resumed' })]),
    ).toEqual([false, false]);
  });

  it('of less than 20% or 9 ms is a note, however many show it; of failures nothing is measured', () => {
    const small = (effect: number, ms: number) => pagesOf([1, 2, 3].map((index) => onSeries(index, { effect, ms })));
    expect(small(0.17, 30)).toEqual([false, false, false]);
    expect(small(0.5, 8.9)).toEqual([false, false, false]);
    expect(small(0.19, 9.1)).toEqual([false, false, true]);
    const failing = [1, 2].map((index) => onSeries(index, { metric: 'failures', effect: 0, ms: null }));
    expect(pagesOf(failing)).toEqual([false, true]);
  });

  it('that all targets of a vantage show on the way and in the first byte is a note: its prober was busy', () => {
    const at = (index: number, vantage: number, isOfProber: boolean) =>
      onSeries(index, { target: `target ${index}`, region: `region ${vantage}`, vantage: `${vantage}`, isOfProber });
    expect(pagesOf([at(1, 7, true), at(2, 7, true), at(3, 7, true)])).toEqual([false, false, false]);
    expect(pagesOf([at(1, 7, false), at(2, 7, false), at(3, 7, false)])).toEqual([false, true, true]);
    expect(pagesOf([at(1, 7, false), at(2, 7, false)])).toEqual([false, true]);
    // One such line beside that of another vantage is no second one; of four or more it counts.
    const beside = (...flags: boolean[]) => flags.map((flag, index) => at(1, 7 + index, flag));
    expect(
      pagesOf(
        beside(true, false).map((each, index) => ({ ...each, index })),
        11,
      ),
    ).toEqual([false, false]);
    const four = [true, true, true, true].map((flag, index) => ({ ...at(1, 7 + index, flag), index }));
    expect(pagesOf(four)).toEqual([false, false, false, true]);
  });
});

describe('a lasting change', () => {
  it('of one or two series of many is a note, unless one rose by half and 20 ms', () => {
    expect(pagesOf([lasting(1, 0.2, 15), lasting(2, 0.2, 15), lasting(3, 0.2, 15)])).toEqual([false, false, true]);
    expect(pagesOf([lasting(1, 0.41, 20)])).toEqual([true]);
    expect(pagesOf([lasting(1, 0.41, 19)])).toEqual([false]);
    expect(pagesOf([lasting(1, -0.41, -60)])).toEqual([false]);
    expect(pagesOf([lasting(1, 0.2, 15), lasting(2, 0.2, 15)], 11)).toEqual([false, true]);
    expect(pagesOf([lasting(1, 0.2, 15)], 3)).toEqual([true]);
  });

  it('of less than 5% or 3 ms is a note, however many show it', () => {
    const four = (effect: number, ms: number) => pagesOf([1, 2, 3, 4].map((index) => lasting(index, effect, ms)));
    expect(four(0.048, 9)).toEqual([false, false, false, false]);
    expect(four(0.2, 2.9)).toEqual([false, false, false, false]);
    expect(four(-0.06, -3.1)).toEqual([false, false, true, true]);
  });
});
