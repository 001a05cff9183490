'use client';

import type { ComponentProps } from 'react';
import type { HeatChart } from './heat-chart.tsx';
import { LazyChart } from './lazy-chart.tsx';

const load = () => import('./heat-chart.tsx').then(({ HeatChart }) => HeatChart);

type Props = ComponentProps<typeof HeatChart> & { size: string; failed: string };

/** A heatmap whose script is loaded once it comes into view. */
export const LazyHeat = ({ size, failed, ...input }: Props) => (
  <LazyChart load={load} size={size} failed={failed} input={input} />
);
