'use client';

import { ChartView } from './chart.tsx';
import { type TrendInput, trendKind } from './trend.options.ts';

/** Lines or stacked areas over time. */
export function TrendChart({ input, label, describedBy }: { input: TrendInput; label: string; describedBy: string }) {
  return <ChartView kind={trendKind} input={input} label={label} describedBy={describedBy} className="h-72" />;
}
