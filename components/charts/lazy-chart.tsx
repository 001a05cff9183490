'use client';

import { type ComponentProps, type ComponentType, useEffect, useRef, useState } from 'react';
import type { BinsProps } from './bins-chart.tsx';
import type { HeatChart } from './heat-chart.tsx';

/** Loaded a little before it is scrolled into view. */
const MARGIN = '200px';

type Named = { label: string; describedBy: string };
/** `size` is the room that it takes before it is there, so that nothing moves when it comes. */
type Props<Input extends Named> = {
  load: () => Promise<ComponentType<Input>>;
  size: string;
  failed: string;
  input: Input;
};

/** A chart whose script is loaded once it comes into view. `failed` is said where that can't be loaded. */
export function LazyChart<Input extends Named>({ load, size, failed, input }: Props<Input>) {
  const box = useRef<HTMLDivElement>(null);
  const [loaded, setLoaded] = useState<{ Chart: ComponentType<Input> | null } | null>(null);

  useEffect(() => {
    if (!box.current) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        load().then(
          (Chart) => setLoaded({ Chart }),
          () => setLoaded({ Chart: null }),
        );
      },
      { rootMargin: MARGIN },
    );
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [load]);

  return (
    <div ref={box} className={size}>
      {loaded?.Chart ? <loaded.Chart {...input} /> : null}
      {loaded ? null : (
        <div role="img" className="h-full" aria-label={input.label} aria-describedby={input.describedBy} />
      )}
      {loaded && !loaded.Chart ? <p className="text-muted">{failed}</p> : null}
    </div>
  );
}

const loadBins = () => import('./bins-chart.tsx').then(({ BinsChart }) => BinsChart);
const loadHeat = () => import('./heat-chart.tsx').then(({ HeatChart }) => HeatChart);

/** A distribution. */
export const LazyBins = (input: BinsProps) => (
  <LazyChart load={loadBins} size="min-w-0 min-h-80" failed={input.failed} input={input} />
);

type HeatProps = ComponentProps<typeof HeatChart> & { size: string; failed: string };

/** A heatmap. */
export const LazyHeat = ({ size, failed, ...input }: HeatProps) => (
  <LazyChart load={loadHeat} size={size} failed={failed} input={input} />
);
