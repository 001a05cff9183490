'use client';

import { Filler, LinearScale, LineController, LineElement, PointElement, type Scale, Tooltip } from 'chart.js';
import { binText, type DistributionLine, logTicks } from './bins.ts';
import { type ChartKind, ChartView } from './chart.tsx';
import { colour, faded } from './colours.ts';
import { FONT, tooltipLook } from './common.options.ts';

/**
 * Two distributions: `points` are ms, and the share (0 to 1) of the results that took at most so long. `bins`: there are many points, on a
 * logarithmic axis; with `bars` a share is of the results from there to the next point, the first line's as bars.
 */
export type DistributionInput = {
  bins?: 'bars' | 'cumulative';
  lines: DistributionLine[];
  locale: string;
  /** Titles of the axes. */
  value: string;
  share: string;
};

export type DistributionProps = { input: DistributionInput; label: string; describedBy: string };

/** How many results took at most how long, before and after. */
export function DistributionChart({ input, label, describedBy }: DistributionProps) {
  return <ChartView kind={kind} input={input} label={label} describedBy={describedBy} className="h-72" />;
}

const kind: ChartKind<'line', DistributionInput> = {
  parts: [LineController, LineElement, PointElement, LinearScale, Filler, Tooltip],
  data: ({ lines, bins }) => ({
    datasets: lines.map(({ name, token, dash, points }, index) => ({
      label: name,
      data: points.map(([x, share]) => ({ x: bins ? Math.log(x) : x, y: 100 * share })),
      borderColor: () => colour(token),
      backgroundColor: () => (bins === 'bars' ? faded(token, 0.35) : colour(token)),
      borderDash: dash,
      borderWidth: bins === 'bars' && index === 0 ? 1 : 1.8,
      stepped: bins === 'bars',
      fill: bins === 'bars' && index === 0 ? 'origin' : false,
      pointRadius: bins ? 0 : 2,
      pointHoverRadius: 4,
    })),
  }),
  build: (input) => ({
    type: 'line',
    options: {
      parsing: false,
      font: FONT,
      interaction: { mode: input().bins ? 'index' : 'nearest', intersect: false },
      plugins: {
        tooltip: {
          ...tooltipLook,
          callbacks: {
            title: () => '',
            label: ({ dataset, dataIndex, parsed }) => {
              const { bins, lines } = input();
              const share = `${dataset.label ?? ''}  ${number(input(), parsed.y ?? 0)}%`;
              if (bins !== 'bars') return `${share} ≤ ${number(input(), valueAt(input(), parsed.x ?? 0))} ms`;
              const edges = lines[0]?.points.map(([edge]) => edge) ?? [];
              return dataIndex + 1 < edges.length ? `${share}  ${binText(input().locale, edges, dataIndex)} ms` : '';
            },
          },
        },
      },
      scales: {
        x: {
          type: 'linear',
          grid: { display: false },
          title: title(() => input().value),
          bounds: input().bins ? 'data' : 'ticks',
          afterBuildTicks: (axis: Scale) => {
            if (input().bins) axis.ticks = logTicks(axis.min, axis.max, axis.width / 60).map((value) => ({ value }));
          },
          ticks: { ...ticks, callback: (value: number | string) => number(input(), valueAt(input(), Number(value))) },
        },
        y: {
          type: 'linear',
          min: 0,
          get max() {
            return input().bins === 'bars' ? undefined : 100;
          },
          grid: { color: () => colour('--line') },
          title: title(() => input().share),
          ticks,
        },
      },
    },
  }),
};

const ticks = { color: () => colour('--muted'), font: FONT, maxTicksLimit: 8 };
const title = (text: () => string) => ({
  display: true,
  font: FONT,
  get color() {
    return colour('--muted');
  },
  get text() {
    return text();
  },
});
/** The value (ms) at a place of the axis. */
const valueAt = ({ bins }: DistributionInput, x: number) => (bins ? Math.exp(x) : x);
const number = ({ locale }: DistributionInput, value: number) =>
  new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }).format(value);
