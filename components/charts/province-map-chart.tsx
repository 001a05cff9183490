'use client';

import { ChartView } from './chart.tsx';
import { CHINA } from './china-map.ts';
import { outlineKind } from './outline-map-chart.tsx';
import type { MapProps } from './region-marks.ts';
import { useMapInput } from './use-map-input.ts';

const provinceKind = outlineKind(CHINA);

/** The map of China by province. A click on a province goes to it; the table that describes the map has the same links. */
export function ProvinceMapChart({ regions, ...described }: MapProps) {
  return <ChartView kind={provinceKind} input={useMapInput(regions)} {...described} className="h-full" />;
}
