'use client';

import type { BinsProps } from './bins-chart.tsx';
import { LazyChart } from './lazy-chart.tsx';

const load = () => import('./bins-chart.tsx').then(({ BinsChart }) => BinsChart);

/** A distribution whose script is loaded once it comes into view. */
export const LazyBins = (input: BinsProps) => (
  <LazyChart load={load} size="min-w-0 min-h-80" failed={input.failed} input={input} />
);
