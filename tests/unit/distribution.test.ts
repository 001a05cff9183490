import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { binTogether } from '#analysis/distribution.ts';
import { emptyHistogram } from '#analysis/histogram.ts';
import { binLines, binText, logTicks } from '#components/charts/bins.ts';
import { histogramOf } from '../support/histograms.ts';

const sum = (shares: number[] = []) => shares.reduce((all, share) => all + share, 0);

describe('two histograms in the same bins', () => {
  it('have shares of all their values each, from the lowest 1st to the highest 99th percentile', () => {
    const values = fc.array(fc.integer({ min: 1, max: 60_000 }), { minLength: 1, maxLength: 400 });
    fc.assert(
      fc.property(values, values, fc.integer({ min: 1, max: 60 }), (now, before, most) => {
        const { edges, shares } = binTogether([histogramOf(now), histogramOf(before)], most);
        const bins = edges.length - 1;
        expect(bins).toBeGreaterThan(0);
        expect(bins).toBeLessThanOrEqual(most);
        expect(shares.map((each) => each.length)).toEqual([bins, bins]);
        for (const each of shares) expect(sum(each)).toBeCloseTo(1, 9);
        // An inner edge parts the values themselves: none is taken apart.
        for (const [bin, edge] of edges.slice(1, -1).entries())
          expect(sum(shares[0]?.slice(0, bin + 1))).toBeCloseTo(now.filter((ms) => ms <= edge).length / now.length, 9);
      }),
    );
  });

  it('keep a far value from taking the room of the others: the last bin has it', () => {
    const { edges, shares } = binTogether([histogramOf([...Array(199).fill(20), 9_000])], 10);
    expect(edges).toHaveLength(2);
    expect(edges.map((edge) => Math.abs(edge - 20) < 0.5)).toEqual([true, true]);
    expect(shares).toEqual([[1]]);
  });

  it('have no bins without values, and no shares where one is empty', () => {
    expect(binTogether([emptyHistogram(), emptyHistogram()], 10)).toEqual({ edges: [], shares: [[], []] });
    const { shares } = binTogether([histogramOf([10, 20]), emptyHistogram()], 2);
    expect(shares).toEqual([
      [0.5, 0.5],
      [0, 0],
    ]);
  });
});

describe('bins on a chart', () => {
  const bins = {
    edges: [10, 20, 40, 80],
    lines: [{ name: 'now', token: '--ink', dash: [], shares: [0.5, 0.25, 0.25] }],
  };

  it('are steps that end at nothing, or sums up to where the last bin begins', () => {
    expect(binLines(bins, 'bars')[0]?.points).toEqual([
      [10, 0.5],
      [20, 0.25],
      [40, 0.25],
      [80, 0],
    ]);
    expect(binLines(bins, 'cumulative')[0]?.points).toEqual([
      [20, 0.5],
      [40, 0.75],
    ]);
  });

  it('are named by both ends, the first and the last by one', () => {
    expect([0, 1, 2].map((bin) => binText('en', bins.edges, bin))).toEqual(['≤ 20', '20 – 40', '> 40']);
  });

  it('have ticks at round values of a logarithmic axis, as many as there is room for', () => {
    const ticks = (low: number, high: number, most: number) =>
      logTicks(Math.log(low), Math.log(high), most).map((tick) => Number(Math.exp(tick).toPrecision(6)));
    expect(ticks(19, 310, 8)).toEqual([20, 30, 40, 50, 80, 100, 200, 300]);
    expect(ticks(19, 310, 3)).toEqual([20, 50, 100, 300]);
    expect(ticks(40, 60, 4)).toEqual([40, 44, 49, 54, 60]);
  });
});
