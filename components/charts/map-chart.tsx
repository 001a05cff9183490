'use client';

import { useRouter } from 'next/navigation';
import { useMemo } from 'react';
import { ChartView } from './chart.tsx';
import { mapKind, type Tile } from './map.options.ts';

/** The tile map of China. A click on a tile goes to its region; the table that describes it has the same links. */
export function MapChart({ tiles, label, describedBy }: { tiles: Tile[]; label: string; describedBy: string }) {
  const router = useRouter();
  const input = useMemo(() => ({ tiles, open: (href: string) => router.push(href) }), [tiles, router]);
  return (
    <ChartView
      kind={mapKind}
      input={input}
      label={label}
      describedBy={describedBy}
      className="h-[22rem] xl:h-[25rem]"
    />
  );
}
