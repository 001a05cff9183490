import { describe, expect, it } from 'vitest';
import { stepOf } from '#components/charts/change-scale.ts';
import { cellText, type HeatInput, hrefOf } from '#components/charts/heat-cells.ts';
import { zoomHref } from '#components/charts/zoom-href.ts';

import type { Series } from '#contract/query.ts';
import { buildHeatmap } from '#server/figures/heatmap.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 10, 20, 12);
type Made = { region: string; carrier: string; values: (number | null)[]; usual?: (number | null)[] };

function seriesOf(made: Made[]): Series {
  const instant = (column: number) => new Date(START + column * MINUTE).toISOString();
  return {
    metric: 'tls',
    stat: 'p50',
    unit: 'ms',
    stepSeconds: 60,
    from: instant(0),
    to: instant(made[0]?.values.length ?? 0),
    demo: false,
    generatedUntil: null,
    importedUntil: null,
    series: made.map(({ region, carrier, values, usual }) => ({
      labels: { region, carrier },
      points: values.map((value, column) => [instant(column), value, value === null ? 0 : 1]),
      ...(usual && { usual }),
    })),
  };
}

describe('the heatmap of a target', () => {
  it('has rows by carrier, then by region, and the levels of columns that are alike once', () => {
    const usual = [40, 40, 50, 40];
    const heat = buildHeatmap(
      seriesOf([
        { region: 'CN-GD', carrier: 'unicom', values: [40.04, null, 100.4, 8.888], usual },
        { region: 'CN-GD', carrier: 'telecom', values: [30, 30, 30, 30], usual },
        { region: 'CN-BJ', carrier: 'unicom', values: [40, 40, 50, 40], usual },
      ]),
    );
    expect(heat).toMatchObject({ start: START, columns: 4, stepSeconds: 60, unit: 'ms' });
    expect(heat.rows.map(({ carrier, region }) => `${carrier} ${region}`)).toEqual([
      'telecom CN-GD',
      'unicom CN-BJ',
      'unicom CN-GD',
    ]);
    expect(heat.rows[2]?.values).toEqual([40, null, 100, 8.89]);
    expect(heat.levels).toEqual([
      [40, 40, 40],
      [50, 50, 50],
    ]);
    expect(heat.levelsAt).toEqual([0, 0, 1, 0]);
    expect(heat.rows[1]).toMatchObject({ isUsual: true, slower: 0, change: 0 });
    // One step of three that were measured is slower; so is the highest.
    expect(heat.rows[2]).toMatchObject({ slower: 1 / 3, change: 0.001, peak: { column: 2, change: 1.008 } });
  });

  it('compares with the median of the range where the usual level of a measured hour is unknown', () => {
    const heat = buildHeatmap(
      seriesOf([
        { region: 'CN-GD', carrier: 'mobile', values: [20, 20, 30], usual: [10, 10, null] },
        { region: 'CN-SC', carrier: 'mobile', values: [20, 20, null], usual: [10, 10, null] },
        { region: 'CN-XJ', carrier: 'mobile', values: [null, null, null], usual: [10, 10, null] },
      ]),
    );
    expect(heat.rows.map(({ isUsual }) => isUsual)).toEqual([false, true, false]);
    expect(heat.levels).toEqual([
      [20, 10, null],
      [20, null, null],
    ]);
    expect(heat.rows[2]).toMatchObject({ slower: null, change: null, peak: null });
  });

  it('is at most 150 kB for 93 series and 180 columns', () => {
    const values = Array.from({ length: 180 }, (_, column) => 61.234 + column / 7);
    const usual = values.map((_, column) => 50.1 + (column % 6));
    const made = Array.from({ length: 93 }, (_, row) => ({ region: `CN-${row}`, carrier: 'telecom', values, usual }));
    expect(JSON.stringify(buildHeatmap(seriesOf(made))).length).toBeLessThan(150_000);
  });

  it('of nothing is empty', () => {
    expect(buildHeatmap(seriesOf([]))).toMatchObject({ columns: 0, rows: [], levels: [], levelsAt: [], start: START });
  });
});

describe('the colour of a cell', () => {
  it.each([
    [19, 0],
    [21, 1],
    [29, 1],
    [35, 2],
    [37.5, 3],
    [40, 3],
    [43, 3],
    [43.9, 3],
    [44.5, 4],
    [51, 5],
    [60, 6],
    [400, 6],
  ])('of %d ms against 40 ms is step %d', (value, step) => {
    expect(stepOf(value, 40, 3)).toBe(step);
  });

  it('is neutral within the difference that is never called slower, and missing without a value or a level', () => {
    expect(stepOf(4.9, 2, 3)).toBe(3);
    expect(stepOf(5, 2, 0)).toBe(6);
    expect(stepOf(40 * (1 + 0.1) - 0.1, 40, 0)).toBe(3);
    expect(stepOf(null, 40, 3)).toBeNull();
    expect(stepOf(40, null, 3)).toBeNull();
    expect(stepOf(40, 0, 3)).toBeNull();
  });
});

describe('a cell in words', () => {
  const input: HeatInput = {
    rows: [{ name: 'Guangdong Unicom', region: 'CN-GD', carrier: 'unicom', values: [116, null, 51.5], isUsual: true }],
    blocks: [],
    start: START,
    stepMs: 10 * MINUTE,
    columns: 3,
    levels: [[52], [null]],
    levelsAt: [0, 0, 1],
    least: 3,
    from: START,
    to: START + 30 * MINUTE,
    zone: 'Asia/Shanghai',
    locale: 'en',
    texts: {
      hint: 'hint',
      usual: '{place}, {time}: {value}, usual {level} ({change})',
      median: '{level} median',
      alone: '{value} alone',
      empty: '{place}, {time}: no data',
    },
    unit: { name: 'ms', of: 'ms' },
    href: '/targets/1/trend?range=6h&region=CN-BJ&region=CN-GD',
  };

  it('names place, time, value, level and change', () => {
    expect(cellText(input, { row: 0, column: 0 })).toBe(
      'Guangdong Unicom, 2026-11-20 20:00: 116 ms, usual 52.0 ms (+123%)',
    );
    expect(cellText(input, { row: 0, column: 1 })).toBe('Guangdong Unicom, 2026-11-20 20:10: no data');
    expect(cellText(input, { row: 0, column: 2 })).toBe('51.5 ms alone');
    expect(cellText(input, { row: 9, column: 0 })).toBe('hint');
  });

  it('has the clock alone of the hours of any day, and leads nowhere where its rows are no places', () => {
    const daily: HeatInput = { ...input, daily: true, href: null };
    expect(cellText(daily, { row: 0, column: 1 })).toBe('Guangdong Unicom, 20:10: no data');
    expect(hrefOf(daily, { row: 0, column: 1 })).toBeNull();
  });

  it('leads to the trend of its place, under the same filter', () => {
    expect(hrefOf(input, { row: 0, column: 1 })).toBe('/targets/1/trend?range=6h&region=CN-GD&carrier=unicom');
  });
});

describe('a range that is selected on a chart', () => {
  const base = '/targets/1/trend?range=24h&metric=tcp';
  const at = (minutes: number) => START + minutes * MINUTE;

  it('becomes that of the page, in whole minutes', () => {
    expect(zoomHref(base, at(10) + 20_000, at(40) + 20_000)).toBe(
      '/targets/1/trend?metric=tcp&from=2026-11-20T12%3A10%3A00.000Z&to=2026-11-20T12%3A41%3A00.000Z',
    );
  });

  it('is five minutes at least, around what was selected', () => {
    expect(zoomHref(base, at(10), at(11))).toBe(
      '/targets/1/trend?metric=tcp&from=2026-11-20T12%3A08%3A00.000Z&to=2026-11-20T12%3A13%3A00.000Z',
    );
  });
});
