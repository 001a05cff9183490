'use client';

import { LinearScale, LineController, LineElement, PointElement, Tooltip } from 'chart.js';
import { type ChartKind, ChartView } from './chart.tsx';
import { colour } from './colours.ts';
import { FONT, tooltipLook } from './common.options.ts';

/** Two cumulative distributions: `points` are ms, and the share (0 to 1) of the results that took at most so long. */
export type DistributionInput = {
  lines: { name: string; token: string; dash: number[]; points: [number, number][] }[];
  locale: string;
  /** Titles of the axes. */
  value: string;
  share: string;
};

type Props = { input: DistributionInput; label: string; describedBy: string };

/** How many results took at most how long, before and after. */
export function DistributionChart({ input, label, describedBy }: Props) {
  return <ChartView kind={kind} input={input} label={label} describedBy={describedBy} className="h-72" />;
}

const kind: ChartKind<'line', DistributionInput> = {
  parts: [LineController, LineElement, PointElement, LinearScale, Tooltip],
  data: ({ lines }) => ({
    datasets: lines.map(({ name, token, dash, points }) => ({
      label: name,
      data: points.map(([x, share]) => ({ x, y: 100 * share })),
      borderColor: () => colour(token),
      backgroundColor: () => colour(token),
      borderDash: dash,
      borderWidth: 1.8,
      pointRadius: 2,
      pointHoverRadius: 4,
    })),
  }),
  build: (input) => ({
    type: 'line',
    options: {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      parsing: false,
      font: FONT,
      interaction: { mode: 'nearest', intersect: false },
      plugins: {
        tooltip: {
          ...tooltipLook,
          callbacks: {
            title: () => '',
            label: ({ dataset, parsed }) =>
              `${dataset.label ?? ''}  ${number(input(), parsed.y ?? 0)}% ≤ ${number(input(), parsed.x ?? 0)} ms`,
          },
        },
      },
      scales: {
        x: {
          type: 'linear',
          grid: { display: false },
          border: { display: false },
          title: title(() => input().value),
          ticks,
        },
        y: {
          type: 'linear',
          min: 0,
          max: 100,
          grid: { color: () => colour('--line') },
          border: { display: false },
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
const number = ({ locale }: DistributionInput, value: number) =>
  new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }).format(value);
