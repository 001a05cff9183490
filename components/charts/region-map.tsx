'use client';

import { type ComponentType, useEffect, useRef, useState } from 'react';
import type { MapView } from '../filters/filter.ts';
import type { MapProps } from './region-marks.ts';

const CHARTS: Record<MapView, () => Promise<ComponentType<MapProps>>> = {
  provinces: () => import('./province-map-chart.tsx').then(({ ProvinceMapChart }) => ProvinceMapChart),
  tiles: () => import('./tile-map-chart.tsx').then(({ TileMapChart }) => TileMapChart),
};
/** The room that each takes before it is there, so that nothing moves when it comes. */
const SIZES: Record<MapView, string> = { provinces: 'aspect-[6/5] max-h-[32rem]', tiles: 'h-[22rem] xl:h-[25rem]' };
/** Loaded a little before it is scrolled into view. */
const MARGIN = '200px';

/** A map of China's regions whose script is loaded once it comes into view. `failed` is said where that can't be loaded. */
export function RegionMap({ view, failed, ...props }: MapProps & { view: MapView; failed: string }) {
  const box = useRef<HTMLDivElement>(null);
  const [loaded, setLoaded] = useState<{ Chart: ComponentType<MapProps> | null } | null>(null);

  useEffect(() => {
    if (!box.current) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        CHARTS[view]().then(
          (Chart) => setLoaded({ Chart }),
          () => setLoaded({ Chart: null }),
        );
      },
      { rootMargin: MARGIN },
    );
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [view]);

  return (
    <div ref={box} className={SIZES[view]}>
      {loaded?.Chart ? <loaded.Chart {...props} /> : null}
      {loaded ? null : (
        <div role="img" className="h-full" aria-label={props.label} aria-describedby={props.describedBy} />
      )}
      {loaded && !loaded.Chart ? <p className="text-muted">{failed}</p> : null}
    </div>
  );
}
