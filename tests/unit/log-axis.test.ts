import { LogarithmicScale } from 'chart.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { logTicks } from '#components/charts/log-axis.ts';
import { amount, logScale, type TrendLine } from '#components/charts/trend-chart.tsx';

it.each([
  [38, 55, [20, 50, 100]],
  [20, 50, [20, 50]],
  [0.3, 4, [0.2, 0.5, 1, 2, 5]],
  [0.3, 9_000, [0.1, 1, 10, 100, 1_000, 10_000]],
  [100, 100, [50, 100, 200]],
  [20, 20, [10, 20, 50]],
  [30, 30, [20, 50]],
])('has ticks at 1, 2 and 5, or at powers of ten, from below %d to above %d', (low, high, ticks) => {
  expect(logTicks(low, high)).toEqual(ticks);
});

it('never begins at zero, holds all values above it, and has few ticks', () => {
  const values = fc.double({ min: 0, max: 1e6, noNaN: true }).map((value) => (value < 1e-3 ? 0 : value));
  fc.assert(
    fc.property(values, values, (one, other) => {
      const [low, high] = [Math.min(one, other), Math.max(one, other)];
      const ticks = logTicks(low, high);
      expect(ticks[0]).toBeGreaterThan(0);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(high);
      if (low > 0) expect(ticks[0]).toBeLessThanOrEqual(low);
      expect(ticks.length).toBeGreaterThan(1);
      if (low === high && low > 0) expect([ticks[0], ticks.at(-1)]).not.toContain(low);
      expect(ticks.length).toBeLessThanOrEqual(11);
    }),
  );
});

/** The axis of a chart with these lines, those that are hidden by a minus before their names. */
function axisOf(lines: Record<string, (number | null)[]>) {
  const scale = new LogarithmicScale({ id: 'y', type: 'logarithmic', ctx: null as never, chart: null as never });
  const drawn = Object.entries(lines).map(([name, values]): TrendLine => {
    return { name, token: '--muted', dash: [], marker: 'circle', points: values.map((value, at) => [at, value]) };
  });
  const hidden = new Set(Object.keys(lines).filter((name) => name.startsWith('-')));
  const input = {
    lines: drawn,
    hidden,
    annotations: [],
    scale: 1,
    locale: 'en',
    unit: 'ms',
    log: true,
    stacked: false,
  };
  const times = { from: 0, to: 9, zone: 'UTC', bridgeMs: 1, noData: '', table: { label: '', time: '', note: '' } };
  const { afterDataLimits, afterBuildTicks } = logScale(() => ({ ...input, ...times }));
  const shown = drawn.filter(({ name }) => !hidden.has(name)).flatMap(({ points }) => points.map(([, y]) => y ?? 0));
  // What Chart.js does before it asks.
  Object.assign(scale, { min: Math.min(...shown), max: Math.max(...shown) });
  (scale as unknown as { handleTickRangeOptions(): void }).handleTickRangeOptions();
  afterDataLimits?.(scale);
  afterBuildTicks?.(scale);
  return { range: [scale.min, scale.max], ticks: scale.ticks.map(({ value }) => value) };
}

it('holds the least value above zero also where one is zero, and has room beside a flat line', () => {
  expect(axisOf({ tls: [0, 0.3, 0.4, 40, 85] })).toEqual({ range: [0.1, 100], ticks: [0.1, 1, 10, 100] });
  expect(axisOf({ tls: [0, 30, 40, null, 85] }).range).toEqual([20, 100]);
  expect(axisOf({ tls: [30, 40], '-tcp': [0.2, 900] }).range).toEqual([20, 50]);
  expect(axisOf({ tls: [20, 20] })).toEqual({ range: [10, 50], ticks: [10, 20, 50] });
  expect(axisOf({ tls: [0, 0] }).range[0]).toBeGreaterThan(0);
});

it('says values below 1 to three digits, where they have room of their own', () => {
  const said = (log: boolean) =>
    [0, 0.0123, 0.456, 3.21].map((value) => amount({ locale: 'en', unit: 'ms', log }, value));
  expect(said(true)).toEqual(['0 ms', '0.0123 ms', '0.456 ms', '3.2 ms']);
  expect(said(false)).toEqual(['0 ms', '0 ms', '0.5 ms', '3.2 ms']);
});
