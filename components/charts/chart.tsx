'use client';

import { Chart, type ChartComponentLike, type ChartConfiguration, type ChartType } from 'chart.js';
import { useEffect, useRef } from 'react';
import { onThemeChange } from './colours.ts';

// What all charts have alike.
Chart.defaults.set({ animation: false, maintainAspectRatio: false });
Chart.defaults.set('scale.border', { display: false });

/**
 * One kind of chart, from its `*-chart.tsx`. `build` runs once a chart and reads what may change through `input()`;
 * `data` runs for every new input. `parts` are the pieces of Chart.js that it needs.
 */
export type ChartKind<Type extends ChartType, Input> = {
  parts: ChartComponentLike[];
  build: (input: () => Input) => Omit<ChartConfiguration<Type>, 'data'>;
  data: (input: Input) => ChartConfiguration<Type>['data'];
};

type Props<Type extends ChartType, Input> = {
  kind: ChartKind<Type, Input>;
  /** Plain data and ready texts, as the server made them. */
  input: Input;
  /** What the chart shows, for those who can't see it; `describedBy` is the id of the table that says the same. */
  label: string;
  describedBy: string;
  className: string;
};

/** The only place where Chart.js is started: registers, draws without animation, follows data and theme, cleans up. */
export function ChartView<Type extends ChartType, Input>(props: Props<Type, Input>) {
  const { kind, input, label, describedBy, className } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const chart = useRef<Chart<Type>>(null);
  const latest = useRef(input);

  useEffect(() => {
    if (!canvas.current) return;
    Chart.register(...kind.parts);
    const configuration = { ...kind.build(() => latest.current), data: kind.data(latest.current) };
    const made = new Chart<Type>(canvas.current, configuration as ChartConfiguration<Type>);
    chart.current = made;
    const stop = onThemeChange(() => made.update('none'));
    return () => {
      stop();
      made.destroy();
      chart.current = null;
    };
  }, [kind]);

  useEffect(() => {
    if (latest.current === input) return;
    latest.current = input;
    if (!chart.current) return;
    chart.current.data = kind.data(input);
    chart.current.update('none');
  }, [input, kind]);

  return (
    <div className={`relative ${className}`}>
      <canvas ref={canvas} role="img" aria-label={label} aria-describedby={describedBy} />
    </div>
  );
}
