'use client';

import type { ComponentType } from 'react';
import type { MapView } from '../filters/filter.ts';
import { LazyChart } from './lazy-chart.tsx';
import type { MapProps } from './region-marks.ts';

const CHARTS: Record<MapView, () => Promise<ComponentType<MapProps>>> = {
  provinces: () => import('./province-map-chart.tsx').then(({ ProvinceMapChart }) => ProvinceMapChart),
  tiles: () => import('./tile-map-chart.tsx').then(({ TileMapChart }) => TileMapChart),
  world: () => import('./world-map-chart.tsx').then(({ WorldMapChart }) => WorldMapChart),
};
const SIZES: Record<MapView, string> = {
  provinces: 'aspect-[6/5] max-h-[32rem]',
  tiles: 'h-[22rem] xl:h-[25rem]',
  world: 'aspect-[11/5] max-h-[32rem]',
};

/** A map of China's regions, or of countries, whose script is loaded once it comes into view. `failed` is said where that can't be loaded. */
export function RegionMap({ view, failed, ...props }: MapProps & { view: MapView; failed: string }) {
  return <LazyChart load={CHARTS[view]} size={SIZES[view]} failed={failed} input={props} />;
}
