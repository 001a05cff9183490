import { describe, expect, it } from 'vitest';
import { MAX_ONSETS, MAX_SERIES, MAX_TARGETS, ownOf } from '#server/incidents/counterfactual.ts';
import type { StoredCell } from '#server/incidents/row.ts';

const id = (n: number) => `01970000-0000-7000-8000-${String(n).padStart(12, '0')}`;

const cell = (target: number, vantage: number, more: Partial<StoredCell> = {}): StoredCell => ({
  targetId: id(target),
  vantageId: id(1_000 + vantage),
  region: 'CN-GD',
  carrier: 'telecom',
  kind: 'spike',
  metric: 'tls',
  at: '2026-11-20T12:05:00.000Z',
  changeAt: '2026-11-20T12:00:30.000Z',
  beforeMs: 50,
  afterMs: 90,
  recoveredAt: null,
  ...more,
});

/** From which minute to which, of that day. */
const hours = (cells: StoredCell[]) => {
  const [first] = ownOf(cells);
  return first && [first.before.from, first.before.to].map((at) => new Date(at).toISOString().slice(11, 16));
};

describe('the hours that a level before is of', () => {
  it('are the hour before a spike, also of one that stayed', () => {
    expect(hours([cell(1, 1)])).toEqual(['11:00', '12:00']);
    const stayed = { kind: 'regression', at: '2026-11-20T20:30:00.000Z', peakMs: 120 } as const;
    expect(hours([cell(1, 1, stayed)])).toEqual(['11:00', '12:00']);
  });

  it('are those since a lasting change, for which its level before is an estimate', () => {
    expect(hours([cell(1, 1, { kind: 'regression', at: '2026-11-20T18:30:00.000Z' })])).toEqual(['12:00', '18:30']);
    expect(hours([cell(1, 1, { kind: 'regression', at: '2026-11-20T12:10:00.000Z' })])).toEqual(['12:00', '13:00']);
  });
});

describe('the series of a large incident that are looked at', () => {
  it('are of the eight targets with the most, a hundred of each', () => {
    expect([MAX_TARGETS, MAX_SERIES]).toEqual([8, 100]);
    const of = (target: number, n: number) => Array.from({ length: n }, (_, vantage) => cell(target, vantage));
    const own = ownOf([1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((target) => of(target, target === 2 ? 110 : target)));
    const counts = Map.groupBy(own, ({ targetId }) => targetId);
    expect([...counts].map(([target, same]) => [target, same.length])).toEqual([
      [id(2), 100],
      ...[9, 8, 7, 6, 5, 4, 3].map((target) => [id(target), target]),
    ]);
  });

  it('are compared with the four hours in which the most changed, others with the nearest of these', () => {
    expect(MAX_ONSETS).toBe(4);
    const at = (hour: number, n: number) =>
      Array.from({ length: n }, (_, vantage) =>
        cell(1, 10 * hour + vantage, { changeAt: `2026-11-20T0${hour}:10:00.000Z` }),
      );
    const own = ownOf([...at(1, 2), ...at(3, 3), ...at(5, 4), ...at(7, 2), ...at(8, 1)]);
    expect(own).toHaveLength(12);
    const counts = Map.groupBy(own, ({ before }) => new Date(before.to).getUTCHours());
    expect([...counts].map(([hour, same]) => [hour, same.length])).toEqual([
      [1, 2],
      [3, 3],
      [5, 4],
      [7, 3],
    ]);
    // What is usual is that of their own hours.
    expect(own.map(({ hours }) => new Date(hours.to).getUTCHours())).toContain(8);
  });

  it('are none without a level before', () => {
    expect(ownOf([cell(1, 1, { beforeMs: null }), cell(1, 2, { vantageId: null })])).toEqual([]);
  });
});
