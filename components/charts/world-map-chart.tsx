'use client';

import { ChartView } from './chart.tsx';
import { outlineKind } from './outline-map-chart.tsx';
import type { MapProps } from './region-marks.ts';
import { useMapInput } from './use-map-input.ts';
import { WORLD } from './world-map.ts';

const worldKind = outlineKind(WORLD);

/** The map of the world by country. A click on a country in which something is measured goes to it. */
export function WorldMapChart({ regions, ...described }: MapProps) {
  return <ChartView kind={worldKind} input={useMapInput(regions)} {...described} className="h-full" />;
}
